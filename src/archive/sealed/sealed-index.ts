import type { DatabaseSync } from "node:sqlite";
import { andNot, type ChunkSet, emptySet } from "./chunk-set.ts";
import { openDictionary } from "./dictionary.ts";
import { type DocNumbers, openDocNumbers } from "./doc-numbers.ts";
import { createEvaluatorPool, type EvaluatorPool, type SealedWork } from "./evaluate.ts";
import { chunkCount, postsIn, postsPerChunk } from "./format.ts";
import type { IdCache } from "./id-cache.ts";
import type { PostingList } from "./posting-list.ts";
import { openPostingRows } from "./posting-rows.ts";
import { type PrefixList, readPrefixList } from "./prefix-list.ts";
import { readPostingList } from "./read-posting-list.ts";
import { makeSealedPlan, prepareSets, type SealedPlan } from "./sealed-plan.ts";
import { lacksTerms, type SealedQuery } from "./sealed-query.ts";
import { readableState, readSealedHeader } from "./sealed-state.ts";
import type { TermCache } from "./term-cache.ts";
import { mayContain, readTermFilter, type TermFilter } from "./term-filter.ts";

export type ChunkMatches = { chunk: number; set: ChunkSet; from: number; to: number };

export const termsPerStep = 256;

type PendingPlan = {
  readonly steps: Generator<number, SealedPlan | null>;
  plan: SealedPlan | null | undefined;
};

const emptyMatches = (chunk: number, index: number): ChunkMatches => ({
  chunk,
  set: emptySet,
  from: index,
  to: index,
});

/** Doc numbers; `to` is exclusive. */
export type DocNumberRange = { from: number; to: number };

export type SealedIndex = {
  posts: number;
  /** The time of sealing, in Unix milliseconds. */
  sealedMs: number;
  numbers: DocNumbers;
  /**
   * Matches by chunk, newest first. Skips chunks that lack a required term, except the last one.
   * May yield an empty range after a few hundred term lookups, so that the caller can check its
   * deadline. A search can resume after such a step: lookups are cached for the query object until
   * the range is exhausted, and no other search may use the object until then.
   */
  matches(
    query: SealedQuery,
    range: DocNumberRange,
    omittedSet: (chunk: number) => ChunkSet | null,
    work: SealedWork,
  ): Generator<ChunkMatches, void>;
  isKnownToLack(query: SealedQuery): boolean;
  close(): void;
};

export type SealedIndexOptions = {
  name: string;
  terms: TermCache;
  ids: IdCache | null;
  evaluators?: EvaluatorPool;
};

/** Does not begin a transaction. */
export function openSealedIndex(
  database: DatabaseSync,
  { name, terms, ids, evaluators = createEvaluatorPool() }: SealedIndexOptions,
): SealedIndex | null {
  if (readableState(database) === null) return null;
  const header = readSealedHeader(database);
  const { posts, sealedMs } = header;
  const numbers = openDocNumbers(database, name, ids);
  const dictionary = openDictionary(database, header);
  const rows = openPostingRows(database, header);
  const lists = terms.open<PostingList | null>();
  const prefixes = terms.open<PrefixList | null>();
  // An evicted filter is not read again, because that would cost more than dictionary lookups.
  const filters = terms.open<TermFilter | null>();
  filters.get("", (grow) => {
    const filter = readTermFilter(database, posts);
    grow(filter?.length ?? 0);
    return filter;
  });

  function isFiltered(term: string): boolean {
    const filter = filters.find("") ?? null;
    return filter !== null && !mayContain(filter, term);
  }

  const sources = {
    term: (term: string) =>
      lists.get(term, (grow) => {
        const entry = isFiltered(term) ? null : dictionary.find(term);
        return entry === null ? null : readPostingList(entry, rows, grow);
      }),
    *prefix(prefix: string): Generator<number, PrefixList | null> {
      const cachedList = prefixes.find(prefix);
      if (cachedList !== undefined) return cachedList;
      let bytes = 0;
      let addBytes = (extraBytes: number): void => {
        bytes += extraBytes;
      };
      const list = yield* readPrefixList(dictionary, prefix, rows, (more) => addBytes(more));
      return prefixes.get(prefix, (grow) => {
        grow(bytes);
        addBytes = grow;
        return list;
      });
    },
  };
  const plans = new WeakMap<SealedQuery, PendingPlan>();

  function ensurePendingPlan(query: SealedQuery): PendingPlan {
    const pendingPlan = plans.get(query);
    if (pendingPlan !== undefined) return pendingPlan;
    const newPlan: PendingPlan = { steps: makeSealedPlan(query, sources), plan: undefined };
    plans.set(query, newPlan);
    return newPlan;
  }

  function advance(pending: PendingPlan, query: SealedQuery): number | null {
    try {
      const step = pending.steps.next();
      if (!step.done) return step.value;
      pending.plan = step.value;
      return null;
    } catch (error) {
      plans.delete(query);
      throw error;
    }
  }

  function* matches(
    query: SealedQuery,
    range: DocNumberRange,
    omittedSet: (chunk: number) => ChunkSet | null,
    work: SealedWork,
  ): Generator<ChunkMatches, void> {
    const last = Math.min(range.to, posts);
    if (range.from >= last) return;
    let readsSinceStep = 0;
    const isStepOver = (read: number): boolean => {
      work.termReads = (work.termReads ?? 0) + read;
      readsSinceStep += read;
      if (readsSinceStep < termsPerStep) return false;
      readsSinceStep = 0;
      return true;
    };
    const firstChunk = Math.floor(range.from / postsPerChunk);
    const pending = ensurePendingPlan(query);
    while (pending.plan === undefined) {
      const read = advance(pending, query);
      if (read !== null && isStepOver(read))
        yield emptyMatches(firstChunk, range.from - firstChunk * postsPerChunk);
    }
    const { plan } = pending;
    const evaluator = evaluators.acquire();
    try {
      const end = chunkCount(last);
      for (let chunk = firstChunk; chunk < end; chunk++) {
        const start = chunk * postsPerChunk;
        const from = Math.max(0, range.from - start);
        const to = Math.min(postsIn(chunk, posts), last - start);
        const partCount = plan === null ? 1 : evaluator.prepare(plan, posts, chunk, work);
        // The last chunk shows how far the search has come.
        if (plan?.maxMatches === 0 && chunk < end - 1) continue;
        for (const read of plan === null ? [] : prepareSets(plan, chunk)) {
          if (isStepOver(read)) yield emptyMatches(chunk, from);
        }
        const size = Math.ceil((to - from) / partCount);
        for (let index = from; index < to; index += size) {
          const part = { from: index, to: Math.min(to, index + size) };
          const matches =
            plan === null ? emptySet : evaluator.evaluate(plan, partCount === 1 ? null : part);
          const omittedPosts = matches.count === 0 ? null : omittedSet(chunk);
          const set =
            omittedPosts === null ? matches : andNot(matches, omittedPosts, evaluator.scratch);
          yield { chunk, set, ...part };
        }
      }
      plans.delete(query);
    } finally {
      evaluators.release(evaluator);
    }
  }

  return {
    posts,
    sealedMs,
    numbers,
    matches,
    isKnownToLack: (query) =>
      lacksTerms(query, (term) => {
        const cachedList = lists.find(term);
        return cachedList === undefined ? isFiltered(term) : cachedList === null;
      }),
    close() {
      filters.close();
      lists.close();
      prefixes.close();
      numbers.close();
    },
  };
}
