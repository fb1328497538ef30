import { and, andNot, bitmapSet, type ChunkSet, emptySet, or } from "./chunk-set.ts";
import { postsIn, postsPerChunk, wordsPerBitmap } from "./format.ts";
import { createPhraseFinder, type PhraseFinder } from "./phrase.ts";
import { createScratch, type Scratch } from "./scratch.ts";
import { evaluationRank, type SealedPlan } from "./sealed-plan.ts";

export type SealedWork = {
  containers: number;
  /** Terms read to prepare the plan. Other preparation counts as terms of equal cost. */
  termReads?: number;
};

type Evaluator = {
  readonly scratch: Scratch;
  /**
   * Starts a chunk. Returns the number of parts in which to evaluate it, so that no evaluation
   * blocks the thread for long.
   */
  prepare(plan: SealedPlan, segmentPosts: number, chunk: number, work: SealedWork): number;
  /**
   * Every match in the part, and possibly others in the chunk. Null means the whole chunk. The set
   * is valid until the next evaluation.
   */
  evaluate(plan: SealedPlan, part: ChunkPart | null): ChunkSet;
};

type ChunkPart = { from: number; to: number };

/** Limits the positions read for one part, at about 30 ns each. */
const maxPositions = 500_000;
const maxParts = 64;

/** Evaluators have large buffers, so idle ones are reused. */
export type EvaluatorPool = {
  acquire(): Evaluator;
  release(evaluator: Evaluator): void;
};

const maxIdle = 4;

export function createEvaluatorPool(): EvaluatorPool {
  const idle: Evaluator[] = [];
  return {
    acquire: () => idle.pop() ?? createEvaluator(),
    release(evaluator) {
      if (idle.length < maxIdle) idle.push(evaluator);
    },
  };
}

function createEvaluator(): Evaluator {
  const scratch = createScratch();
  const phrases = createPhraseFinder();
  const run: Run = { scratch, phrases, segmentPosts: 0, chunk: 0, work: { containers: 0 } };
  return {
    scratch,
    prepare(plan, segmentPosts, chunk, work) {
      run.segmentPosts = segmentPosts;
      run.chunk = chunk;
      run.work = work;
      updateEstimates(plan, run);
      const positions = planMaxPositions(plan, plan.maxMatches);
      return Math.min(maxParts, Math.max(1, Math.ceil(positions / maxPositions)));
    },
    evaluate(plan, part) {
      scratch.release(0);
      return evaluate(plan, run, part === null ? null : partSet(part, scratch));
    },
  };
}

function planMaxPositions(plan: SealedPlan, maxCandidates: number): number {
  const candidates = Math.min(maxCandidates, plan.maxMatches);
  let positions = plan.phrase.length * candidates;
  for (const child of plan.children) positions += planMaxPositions(child, candidates);
  for (const child of plan.excluded) positions += planMaxPositions(child, candidates);
  return positions;
}

function partSet({ from, to }: ChunkPart, scratch: Scratch): ChunkSet {
  const { bits } = scratch.acquire();
  bits.fill(0);
  for (let member = from; member < to; member++) {
    bits[member >>> 5] = (bits[member >>> 5] as number) | (1 << (member & 31));
  }
  return bitmapSet(bits, to - from);
}

type Run = {
  readonly scratch: Scratch;
  readonly phrases: PhraseFinder;
  segmentPosts: number;
  chunk: number;
  work: SealedWork;
};

function updateEstimates(plan: SealedPlan, run: Run): void {
  plan.maxMatches = planMaxMatches(plan, run);
  plan.cost = plan.maxMatches + evaluationRank(plan) * postsPerChunk;
}

function planMaxMatches(plan: SealedPlan, run: Run): number {
  const chunkPosts = postsIn(run.chunk, run.segmentPosts);
  if (plan.postings !== null) return plan.postings.counts[run.chunk] as number;
  for (const child of plan.children) updateEstimates(child, run);
  if (plan.kind === "or") {
    let total = 0;
    for (const child of plan.children) total += child.maxMatches;
    return Math.min(total, chunkPosts);
  }
  let min = chunkPosts;
  for (const list of plan.distinctLists) min = Math.min(min, list.counts[run.chunk] as number);
  for (const child of plan.children) min = Math.min(min, child.maxMatches);
  if (min > 0) for (const child of plan.excluded) updateEstimates(child, run);
  return min;
}

/** Conjunctions and phrases return only matches in `scope`; other plans return all matches. */
function evaluate(plan: SealedPlan, run: Run, scope: ChunkSet | null): ChunkSet {
  if (plan.maxMatches === 0) return emptySet;
  if (plan.postings !== null) {
    run.work.containers += 1;
    return plan.postings.set(run.chunk);
  }
  if (plan.kind === "or") return evaluateOr(plan, run, scope);
  return plan.kind === "and" ? evaluateAnd(plan, run, scope) : evaluatePhrase(plan, run, scope);
}

function evaluateOr(plan: SealedPlan, run: Run, scope: ChunkSet | null): ChunkSet {
  return or(evaluateEach(plan.children, run, scope), run.scratch);
}

function* evaluateEach(
  plans: readonly SealedPlan[],
  run: Run,
  scope: ChunkSet | null,
): Generator<ChunkSet, void> {
  const { scratch } = run;
  const mark = scratch.mark();
  for (const plan of plans) {
    const set = evaluate(plan, run, scope);
    yield scope !== null && isWorthNarrowing(set, scope) ? and(scope, set, scratch) : set;
    scratch.release(mark);
  }
}

/** Narrowing costs twice the number of members of `scope`; otherwise the whole set is added. */
const isWorthNarrowing = ({ list, count }: ChunkSet, scope: ChunkSet): boolean =>
  scope.list !== null && scope.count * 2 < (list === null ? wordsPerBitmap : count);

function evaluateAnd(plan: SealedPlan, run: Run, scope: ChunkSet | null): ChunkSet {
  const { scratch } = run;
  const mark = scratch.mark();
  let matches = scope;
  sortByCost(plan.children);
  for (const child of plan.children) {
    const set = evaluate(child, run, matches);
    const isAlreadyNarrowed = child.kind === "phrase" || child.kind === "and";
    matches = matches === null || isAlreadyNarrowed ? set : and(matches, set, scratch);
    if (matches.count === 0) return emptySet;
    scratch.releaseExcept(mark, matches);
  }
  matches ??= everyPost(postsIn(run.chunk, run.segmentPosts), scratch);
  for (const child of plan.excluded) {
    matches = andNot(matches, evaluate(child, run, matches), scratch);
    if (matches.count === 0) return emptySet;
    scratch.releaseExcept(mark, matches);
  }
  return matches;
}

/** Insertion sort, because the plans are few and mostly in order from the previous chunk. */
function sortByCost(plans: SealedPlan[]): void {
  for (let index = 1; index < plans.length; index++) {
    const plan = plans[index] as SealedPlan;
    let position = index;
    for (; position > 0; position--) {
      const previous = plans[position - 1] as SealedPlan;
      if (previous.cost <= plan.cost) break;
      plans[position] = previous;
    }
    plans[position] = plan;
  }
}

function everyPost(count: number, scratch: Scratch): ChunkSet {
  const { bits } = scratch.acquire();
  const fullWords = count >>> 5;
  bits.fill(0xffffffff, 0, fullWords);
  if (fullWords < wordsPerBitmap) {
    bits.fill(0, fullWords);
    bits[fullWords] = ~(-1 << (count & 31));
  }
  return bitmapSet(bits, count);
}

function evaluatePhrase(plan: SealedPlan, run: Run, scope: ChunkSet | null): ChunkSet {
  const { scratch, chunk } = run;
  const mark = scratch.mark();
  const { distinctLists } = plan;
  distinctLists.sort((a, b) => (a.counts[chunk] as number) - (b.counts[chunk] as number));
  let candidates = scope;
  for (const list of distinctLists) {
    run.work.containers += 1;
    const set = list.set(chunk);
    candidates = candidates === null ? set : and(candidates, set, scratch);
    if (candidates.count === 0) return emptySet;
    scratch.releaseExcept(mark, candidates);
  }
  if (candidates === null) return emptySet;
  const matches = run.phrases.find(plan.phrase, chunk, candidates, scratch);
  scratch.releaseExcept(mark, matches);
  return matches;
}
