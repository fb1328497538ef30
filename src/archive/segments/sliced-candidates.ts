import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import type { PlanNode } from "../../query/plan.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import type { CandidateBatch } from "./merged-candidates.ts";
import { quotedToken } from "./quoted-token.ts";
import { statementCache } from "./statement-cache.ts";

/**
 * Candidates of a query whose statement FTS5 might not end soon (`index-cost.ts`). FTS5 is asked for the posts of one term at a
 * time, which it ends at the lower bound of a range; the sets are put together here. A slice is so many posts that few postings
 * are read, and each term is read once a slice, however often it occurs in the query.
 */
export type SlicedCandidates = {
  /** Newest first; each batch is a slice. Phrases and prefixes are supersets, and left out where they are excluded. */
  batches(query: SealedQuery, range: IdRange, work: SlicedWork): Generator<CandidateBatch, void>;
};

/** What was done for slices: statements that were run, and IDs that they returned. */
type SlicedWork = { statements: number; postings?: number };

/** The query whose candidates come in slices: the matcher checks all of it where they are a superset. */
export const inSlices = <Query extends Sliced>(query: Query): Query =>
  isExactInSlices(query.sealed) ? query : { ...query, residual: query.whole };

/** The first batch of a range, which may be empty; what lies below the batch is asked for again. */
export function firstOf(
  batches: Generator<CandidateBatch, void>,
  { low }: Pick<IdRange, "low">,
): CandidateBatch {
  const first = batches.next();
  return first.done ? { ids: [], seenTo: low } : first.value;
}

type Sliced = { sealed: SealedQuery; residual: PlanNode; whole: PlanNode };

/** Whether the candidates of a query are exactly its matches. */
function isExactInSlices(query: SealedQuery): boolean {
  if (query.kind === "phrase" || query.kind === "prefix") return false;
  if (query.kind === "or") return query.children.every(isExactInSlices);
  if (query.kind !== "and") return true;
  return query.children.every(isExactInSlices) && query.excluded.every(isExactInSlices);
}

/** Posts of the first slice. */
const firstPosts = 128;
/** Postings that a slice should read, about 0.5 µs each, those of its posts included. */
const postingsOfSlice = 16_384;
/** Posts of any slice. */
export const mostPosts = 16_384;
/** 256 terms in so many posts are `postingsOfSlice` at most. */
const leastPosts = 64;
/**
 * Postings after which a slice begins again with fewer posts: how frequent terms are in the posts below is not known, and among
 * them may be the only ones that hold the terms.
 */
export const mostPostings = 2 * postingsOfSlice;
const shrinkage = 16;

export function slicedCandidates(database: DatabaseSync): SlicedCandidates {
  const statement = statementCache(database);
  const hidden = database.prepare("SELECT 1 FROM hidden LIMIT 1");

  /** The newest posts of a range, those that are hidden too: the slice goes down to the last one. */
  const newestIds = ({ low, high }: IdRange, most: number): bigint[] =>
    firstColumns(statement(postsSql).all(low, high, most));

  function* batches(
    query: SealedQuery,
    { low, high }: IdRange,
    work: SlicedWork,
  ): Generator<CandidateBatch, void> {
    const anyHidden = hidden.get() !== undefined;
    let size = firstPosts;
    const frequencies = new Map<string, number>();
    for (let next = high; next >= low; ) {
      const ids = newestIds({ low, high: next }, size);
      const seenTo = ids.length < size ? low : (ids.at(-1) ?? low);
      let postings = ids.length;
      const isTooLarge = (): boolean => postings > mostPostings && ids.length > leastPosts;
      work.statements += 1;
      const sets = new Map<string, Uint32Array>();
      const setOf = (term: string): Uint32Array => {
        const known = sets.get(term);
        if (known !== undefined) return known;
        if (isTooLarge()) return new Uint32Array(Math.ceil(ids.length / 32));
        const found = firstColumns(statement(termSql).all(quotedToken(term), seenTo, next));
        work.statements += 1;
        postings += found.length;
        frequencies.set(term, found.length / ids.length);
        const set = placesOf(found, ids);
        sets.set(term, set);
        return set;
      };
      const frequencyOf = (term: string): number => frequencies.get(term) ?? 0;
      const posts = { count: ids.length, setOf, frequencyOf };
      const matching = ids.length === 0 ? null : evaluate(query, posts);
      work.postings = (work.postings ?? 0) + postings;
      if (isTooLarge()) {
        size = Math.max(leastPosts, Math.floor(ids.length / shrinkage));
        continue;
      }
      const found = matching === null ? [] : ids.filter((_, place) => hasBit(matching, place));
      yield {
        ids: anyHidden ? found.filter((id) => statement(hiddenSql).get(id) === undefined) : found,
        seenTo,
      };
      next = seenTo - 1n;
      const wanted = Math.floor((size * postingsOfSlice) / Math.max(postings, 1));
      size = Math.min(mostPosts, Math.max(leastPosts, Math.min(wanted, size * 4)));
    }
  }

  return { batches };
}

/** The posts of a slice: how many there are, those that hold a term, and how many held it when it was read last. */
type SlicePosts = {
  count: number;
  setOf(term: string): Uint32Array;
  frequencyOf(term: string): number;
};

/** The members of a query among the posts of a slice. */
function evaluate(query: SealedQuery, posts: SlicePosts): Uint32Array {
  const every = (): Uint32Array => new Uint32Array(Math.ceil(posts.count / 32)).fill(0xffffffff);
  switch (query.kind) {
    case "none":
      return every().fill(0);
    case "every":
      return every();
    case "term":
      return posts.setOf(query.term);
    case "phrase":
    case "prefix":
      return intersection(
        every(),
        query.terms.map((term) => ({ kind: "term", term })),
        posts,
      );
    case "or":
      return union(
        every().fill(0),
        query.children.map((child) => evaluate(child, posts)),
      );
    case "and": {
      const found = intersection(every(), query.children, posts);
      for (const child of query.excluded) {
        if (isEmpty(found)) break;
        if (!isExactInSlices(child)) continue;
        const set = evaluate(child, posts);
        for (let word = 0; word < found.length; word++) {
          found[word] = (found[word] as number) & ~(set[word] as number);
        }
      }
      return found;
    }
  }
}

/** What is in all of them, the rarest first: the others are not read where nothing is left. */
function intersection(
  into: Uint32Array,
  queries: readonly SealedQuery[],
  posts: SlicePosts,
): Uint32Array {
  const lateness = (query: SealedQuery): number =>
    query.kind === "term" ? posts.frequencyOf(query.term) : Number.POSITIVE_INFINITY;
  for (const query of queries.toSorted((a, b) => (lateness(a) < lateness(b) ? -1 : 1))) {
    const set = evaluate(query, posts);
    for (let word = 0; word < into.length; word++) {
      into[word] = (into[word] as number) & (set[word] as number);
    }
    if (isEmpty(into)) break;
  }
  return into;
}

const isEmpty = (set: Uint32Array): boolean => set.every((word) => word === 0);

function union(into: Uint32Array, sets: readonly Uint32Array[]): Uint32Array {
  for (const set of sets) {
    for (let word = 0; word < into.length; word++) {
      into[word] = (into[word] as number) | (set[word] as number);
    }
  }
  return into;
}

/** Where in `ids` these IDs are; both descend. */
function placesOf(found: readonly bigint[], ids: readonly bigint[]): Uint32Array {
  const set = new Uint32Array(Math.ceil(ids.length / 32));
  let place = 0;
  for (const id of found) {
    while (place < ids.length && (ids[place] as bigint) > id) place += 1;
    if (ids[place] === id) set[place >>> 5] = (set[place >>> 5] as number) | (1 << (place & 31));
  }
  return set;
}

const hasBit = (set: Uint32Array, place: number): boolean =>
  (((set[place >>> 5] as number) >>> (place & 31)) & 1) === 1;

const firstColumns = (rows: readonly unknown[]): bigint[] =>
  rows.map((row) => (row as [bigint])[0]);

const postsSql = "SELECT id FROM term_docsize WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ?";
const termSql =
  "SELECT rowid FROM term WHERE term MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid DESC";
const hiddenSql = "SELECT 1 FROM hidden WHERE id = ?";
