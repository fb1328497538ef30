import type { DatabaseSync } from "node:sqlite";
import { andNot, type ChunkSet, emptySet } from "./chunk-set.ts";
import { openDictionary } from "./dictionary.ts";
import { openPostNumbers, type PostNumbers } from "./doc-numbers.ts";
import { createEvaluators, type Evaluators, type SealedWork } from "./evaluate.ts";
import { chunksOf, postsIn, postsOfChunk } from "./format.ts";
import type { IdMemory } from "./id-memory.ts";
import type { PostingList } from "./posting-list.ts";
import { postingRowsOf } from "./posting-rows.ts";
import { type PrefixList, prefixListOf } from "./prefix-list.ts";
import { postingListOf } from "./read-posting-list.ts";
import { planOf, prepareSets, type SealedPlan } from "./sealed-plan.ts";
import { lacksTerms, type SealedQuery } from "./sealed-query.ts";
import { readableState, readHead } from "./sealed-state.ts";
import type { TermCache } from "./term-cache.ts";

/** What matches in one chunk: members of `set` from `from` to below `to`, numbers within the chunk. Valid until the next step. */
export type ChunkMatches = { chunk: number; set: ChunkSet; from: number; to: number };

/** How many terms are looked up in one step, some µs each. */
export const termsOfStep = 256;

/** A plan that is being made; `plan` is undefined until it is there. */
type Planning = {
  readonly steps: Generator<number, SealedPlan | null>;
  plan: SealedPlan | null | undefined;
};

const nothingAt = (chunk: number, at: number): ChunkMatches => ({
  chunk,
  set: emptySet,
  from: at,
  to: at,
});

/** Post numbers from `from` to below `to`. */
export type NumberRange = { from: number; to: number };

/** The sealed index of a segment, for reading. What it finds damaged throws `SealedDamage`. */
export type SealedIndex = {
  posts: number;
  /** When it was made, Unix milliseconds. */
  sealedMs: number;
  numbers: PostNumbers;
  /**
   * Chunk by chunk, newest first, what matches in the range: one step for each of its chunks, also where nothing matches, and
   * several for one in which many phrases have to be looked for. Before a chunk there are steps without matches, from and to the
   * same number, for as long as terms are looked up: each reads a few hundred. What was looked up is remembered for the query
   * object until its range has been gone through to the end, so that a search that stops at such a step goes on there. No other
   * search may use the same object meanwhile.
   * `leftOut` says which posts of a chunk this index does not answer for; null is none. What was looked at is added to `work`.
   */
  matches(
    query: SealedQuery,
    range: NumberRange,
    leftOut: (chunk: number) => ChunkSet | null,
    work: SealedWork,
  ): Generator<ChunkMatches, void>;
  /** Whether a term that every match has is remembered as missing. Reads nothing. */
  isKnownToLack(query: SealedQuery): boolean;
  /** Forgets what is remembered of it. */
  close(): void;
};

export type SealedIndexOptions = {
  /** What tells the file from all others of the process, such as its path. */
  name: string;
  terms: TermCache;
  ids: IdMemory | null;
  /** Those of the thread; where they are left out the index has its own. */
  evaluators?: Evaluators;
};

/**
 * Opens the sealed index of a segment; null where the segment is not sealed. Nothing is written, and no transaction is begun.
 * Errors: `SealedDamage` where its tables cannot be read.
 */
export function openSealedIndex(
  database: DatabaseSync,
  { name, terms, ids, evaluators = createEvaluators() }: SealedIndexOptions,
): SealedIndex | null {
  if (readableState(database) === null) return null;
  const head = readHead(database);
  const { posts, sealedMs } = head;
  const numbers = openPostNumbers(database, name, ids);
  const dictionary = openDictionary(database, head);
  const rows = postingRowsOf(database, head);
  const lists = terms.open<PostingList | null>();
  const prefixes = terms.open<PrefixList | null>();

  const sources = {
    term: (term: string) =>
      lists.get(term, (grow) => {
        const entry = dictionary.find(term);
        return entry === null ? null : postingListOf(entry, rows, grow);
      }),
    *beginning(prefix: string): Generator<number, PrefixList | null> {
      const known = prefixes.find(prefix);
      if (known !== undefined) return known;
      let bytes = 0;
      let note = (more: number): void => {
        bytes += more;
      };
      const made = yield* prefixListOf(dictionary, prefix, rows, (more) => note(more));
      return prefixes.get(prefix, (grow) => {
        grow(bytes);
        note = grow;
        return made;
      });
    },
  };
  const plans = new WeakMap<SealedQuery, Planning>();

  function planningOf(query: SealedQuery): Planning {
    const known = plans.get(query);
    if (known !== undefined) return known;
    const planning: Planning = { steps: planOf(query, sources), plan: undefined };
    plans.set(query, planning);
    return planning;
  }

  /** The next step of a plan: how much it read; null where the plan is there. */
  function advance(planning: Planning, query: SealedQuery): number | null {
    try {
      const step = planning.steps.next();
      if (!step.done) return step.value;
      planning.plan = step.value;
      return null;
    } catch (error) {
      plans.delete(query);
      throw error;
    }
  }

  function* matches(
    query: SealedQuery,
    range: NumberRange,
    leftOut: (chunk: number) => ChunkSet | null,
    work: SealedWork,
  ): Generator<ChunkMatches, void> {
    const last = Math.min(range.to, posts);
    if (range.from >= last) return;
    let unnoted = 0;
    /** Whether so much was read that the search may stop. */
    const isStep = (read: number): boolean => {
      work.prepared = (work.prepared ?? 0) + read;
      unnoted += read;
      if (unnoted < termsOfStep) return false;
      unnoted = 0;
      return true;
    };
    const begin = Math.floor(range.from / postsOfChunk);
    const planning = planningOf(query);
    while (planning.plan === undefined) {
      const read = advance(planning, query);
      if (read !== null && isStep(read)) yield nothingAt(begin, range.from - begin * postsOfChunk);
    }
    const { plan } = planning;
    const evaluator = evaluators.take();
    try {
      for (let chunk = begin; chunk < chunksOf(last); chunk++) {
        const start = chunk * postsOfChunk;
        const from = Math.max(0, range.from - start);
        const to = Math.min(postsIn(chunk, posts), last - start);
        const parts = plan === null ? 1 : evaluator.prepare(plan, posts, chunk, work);
        for (const read of plan === null ? [] : prepareSets(plan, chunk)) {
          if (isStep(read)) yield nothingAt(chunk, from);
        }
        const size = Math.ceil((to - from) / parts);
        for (let at = from; at < to; at += size) {
          const part = { from: at, to: Math.min(to, at + size) };
          const found =
            plan === null ? emptySet : evaluator.evaluate(plan, parts === 1 ? null : part);
          const left = found.count === 0 ? null : leftOut(chunk);
          const set = left === null ? found : andNot(found, left, evaluator.scratch);
          yield { chunk, set, ...part };
        }
      }
      plans.delete(query);
    } finally {
      evaluators.giveBack(evaluator);
    }
  }

  return {
    posts,
    sealedMs,
    numbers,
    matches,
    isKnownToLack: (query) => lacksTerms(query, (term) => lists.find(term) === null),
    close() {
      lists.close();
      prefixes.close();
      numbers.close();
    },
  };
}
