import type { DatabaseSync } from "node:sqlite";
import type { PlanNode } from "@earshot/query/plan";
import type { IdRange } from "../../posts/ids.ts";
import { statementCache } from "../database.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { quotedToken } from "./expression.ts";
import type { CandidateBatch } from "./merged-candidates.ts";

/**
 * Finds candidates for queries that may be slow (`index-cost.ts`). FTS5 is queried for one term at
 * a time, because it then respects the lower end of a range, and the sets are combined here.
 */
export type SlicedCandidates = {
  /** Newest first. Phrases and prefixes yield supersets, and are ignored if they are excluded. */
  batches(query: SealedQuery, range: IdRange, work: SlicedWork): Generator<CandidateBatch, void>;
};

type SlicedWork = { statements: number; postings?: number };

export const slicedQuery = <Query extends SliceableQuery>(query: Query): Query =>
  isExactInSlices(query.sealed) ? query : { ...query, residual: query.whole };

export function firstBatch(
  batches: Generator<CandidateBatch, void>,
  { low }: Pick<IdRange, "low">,
): CandidateBatch {
  const first = batches.next();
  return first.done ? { ids: [], seenTo: low } : first.value;
}

type SliceableQuery = { sealed: SealedQuery; residual: PlanNode; whole: PlanNode };

function isExactInSlices(query: SealedQuery): boolean {
  if (query.kind === "phrase" || query.kind === "prefix") return false;
  if (query.kind === "or") return query.children.every(isExactInSlices);
  if (query.kind !== "and") return true;
  return query.children.every(isExactInSlices) && query.excluded.every(isExactInSlices);
}

const initialSlicePosts = 128;
const postingsPerSlice = 16_384;
export const maxPosts = 16_384;
const minPosts = 64;
export const maxPostings = 2 * postingsPerSlice;
const shrinkage = 16;

export function slicedCandidates(database: DatabaseSync): SlicedCandidates {
  const statement = statementCache(database);
  const selectAnyHidden = database.prepare("SELECT 1 FROM hidden LIMIT 1");

  const newestIds = ({ low, high }: IdRange, max: number): bigint[] =>
    firstColumns(statement(postsSql).all(low, high, max));

  function* batches(
    query: SealedQuery,
    { low, high }: IdRange,
    work: SlicedWork,
  ): Generator<CandidateBatch, void> {
    const hasHidden = selectAnyHidden.get() !== undefined;
    let size = initialSlicePosts;
    const frequencies = new Map<string, number>();
    for (let next = high; next >= low; ) {
      const ids = newestIds({ low, high: next }, size);
      const seenTo = ids.length < size ? low : (ids.at(-1) ?? low);
      let postings = ids.length;
      const isTooLarge = (): boolean => postings > maxPostings && ids.length > minPosts;
      work.statements += 1;
      const sets = new Map<string, Uint32Array>();
      const termSet = (term: string): Uint32Array => {
        const cachedSet = sets.get(term);
        if (cachedSet !== undefined) return cachedSet;
        if (isTooLarge()) return new Uint32Array(Math.ceil(ids.length / 32));
        const matchingIds = firstColumns(statement(termSql).all(quotedToken(term), seenTo, next));
        work.statements += 1;
        postings += matchingIds.length;
        frequencies.set(term, matchingIds.length / ids.length);
        const set = positionBits(matchingIds, ids);
        sets.set(term, set);
        return set;
      };
      const termFrequency = (term: string): number => frequencies.get(term) ?? 0;
      const posts = { count: ids.length, termSet, termFrequency };
      const matchingBits = ids.length === 0 ? null : evaluate(query, posts);
      work.postings = (work.postings ?? 0) + postings;
      if (isTooLarge()) {
        size = Math.max(minPosts, Math.floor(ids.length / shrinkage));
        continue;
      }
      const foundIds =
        matchingBits === null ? [] : ids.filter((_, position) => hasBit(matchingBits, position));
      yield {
        ids: hasHidden
          ? foundIds.filter((id) => statement(hiddenSql).get(id) === undefined)
          : foundIds,
        seenTo,
      };
      next = seenTo - 1n;
      const expectedSize = Math.floor((size * postingsPerSlice) / Math.max(postings, 1));
      size = Math.min(maxPosts, Math.max(minPosts, Math.min(expectedSize, size * 4)));
    }
  }

  return { batches };
}

type SlicePosts = {
  count: number;
  termSet(term: string): Uint32Array;
  termFrequency(term: string): number;
};

function evaluate(query: SealedQuery, posts: SlicePosts): Uint32Array {
  const allBits = (): Uint32Array => new Uint32Array(Math.ceil(posts.count / 32)).fill(0xffffffff);
  switch (query.kind) {
    case "none":
      return allBits().fill(0);
    case "every":
      return allBits();
    case "term":
      return posts.termSet(query.term);
    case "phrase":
    case "prefix":
      return intersectInto(
        allBits(),
        query.terms.map((term) => ({ kind: "term", term })),
        posts,
      );
    case "or":
      return uniteInto(
        allBits().fill(0),
        query.children.map((child) => evaluate(child, posts)),
      );
    case "and": {
      const matchingBits = intersectInto(allBits(), query.children, posts);
      for (const child of query.excluded) {
        if (isEmpty(matchingBits)) break;
        if (!isExactInSlices(child)) continue;
        const set = evaluate(child, posts);
        for (let word = 0; word < matchingBits.length; word++) {
          matchingBits[word] = (matchingBits[word] as number) & ~(set[word] as number);
        }
      }
      return matchingBits;
    }
  }
}

function intersectInto(
  target: Uint32Array,
  queries: readonly SealedQuery[],
  posts: SlicePosts,
): Uint32Array {
  const rank = (query: SealedQuery): number =>
    query.kind === "term" ? posts.termFrequency(query.term) : Number.POSITIVE_INFINITY;
  for (const query of queries.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1))) {
    const set = evaluate(query, posts);
    for (let word = 0; word < target.length; word++) {
      target[word] = (target[word] as number) & (set[word] as number);
    }
    if (isEmpty(target)) break;
  }
  return target;
}

const isEmpty = (set: Uint32Array): boolean => set.every((word) => word === 0);

function uniteInto(target: Uint32Array, sets: readonly Uint32Array[]): Uint32Array {
  for (const set of sets) {
    for (let word = 0; word < target.length; word++) {
      target[word] = (target[word] as number) | (set[word] as number);
    }
  }
  return target;
}

function positionBits(members: readonly bigint[], ids: readonly bigint[]): Uint32Array {
  const set = new Uint32Array(Math.ceil(ids.length / 32));
  let position = 0;
  for (const id of members) {
    while (position < ids.length && (ids[position] as bigint) > id) position += 1;
    if (ids[position] === id)
      set[position >>> 5] = (set[position >>> 5] as number) | (1 << (position & 31));
  }
  return set;
}

const hasBit = (set: Uint32Array, position: number): boolean =>
  (((set[position >>> 5] as number) >>> (position & 31)) & 1) === 1;

const firstColumns = (rows: readonly unknown[]): bigint[] =>
  rows.map((row) => (row as [bigint])[0]);

const postsSql = "SELECT id FROM term_docsize WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?";
const termSql =
  "SELECT rowid FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC";
const hiddenSql = "SELECT 1 FROM hidden WHERE id = ?";
