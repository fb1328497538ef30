import { and, andNot, bitmapSet, type ChunkSet, emptySet, or } from "./chunk-set.ts";
import { postsIn, postsOfChunk, wordsOfBitmap } from "./format.ts";
import { createPhraseFinder, type PhraseFinder } from "./phrase.ts";
import { createScratch, type Scratch } from "./scratch.ts";
import { evaluationRank, type SealedPlan } from "./sealed-plan.ts";

export type SealedWork = { containers: number; prepared?: number };

type Evaluator = {
  readonly scratch: Scratch;
  /** Returns into how many parts to split the chunk. */
  prepare(plan: SealedPlan, posts: number, chunk: number, work: SealedWork): number;
  /** All matches in the part, perhaps more in the chunk. Valid until the next evaluation. */
  evaluate(plan: SealedPlan, part: ChunkPart | null): ChunkSet;
};

type ChunkPart = { from: number; to: number };

/** Bound per part of a chunk; about 30 ns each. */
const maxPositions = 500_000;
const maxParts = 64;

export type Evaluators = {
  take(): Evaluator;
  giveBack(evaluator: Evaluator): void;
};

const maxIdle = 4;

export function createEvaluators(): Evaluators {
  const idle: Evaluator[] = [];
  return {
    take: () => idle.pop() ?? createEvaluator(),
    giveBack(evaluator) {
      if (idle.length < maxIdle) idle.push(evaluator);
    },
  };
}

function createEvaluator(): Evaluator {
  const scratch = createScratch();
  const phrases = createPhraseFinder();
  const run: Run = { scratch, phrases, posts: 0, chunk: 0, work: { containers: 0 } };
  return {
    scratch,
    prepare(plan, posts, chunk, work) {
      run.posts = posts;
      run.chunk = chunk;
      run.work = work;
      const max = estimate(plan, run);
      return Math.min(maxParts, Math.max(1, Math.ceil(positionsOf(plan, max) / maxPositions)));
    },
    evaluate(plan, part) {
      scratch.release(0, emptySet);
      return evaluate(plan, run, part === null ? null : partSet(part, scratch));
    },
  };
}

function positionsOf(plan: SealedPlan, max: number): number {
  const posts = Math.min(max, plan.maxMatches);
  let positions = plan.phrase.length * posts;
  for (const child of plan.children) positions += positionsOf(child, posts);
  for (const child of plan.excluded) positions += positionsOf(child, posts);
  return positions;
}

function partSet({ from, to }: ChunkPart, scratch: Scratch): ChunkSet {
  const { bits } = scratch.take();
  bits.fill(0);
  for (let post = from; post < to; post++) {
    bits[post >>> 5] = (bits[post >>> 5] as number) | (1 << (post & 31));
  }
  return bitmapSet(bits, to - from);
}

type Run = {
  readonly scratch: Scratch;
  readonly phrases: PhraseFinder;
  posts: number;
  chunk: number;
  work: SealedWork;
};

function estimate(plan: SealedPlan, run: Run): number {
  plan.maxMatches = maxMatchesOf(plan, run);
  plan.cost = plan.maxMatches + evaluationRank(plan) * postsOfChunk;
  return plan.maxMatches;
}

function maxMatchesOf(plan: SealedPlan, run: Run): number {
  const whole = postsIn(run.chunk, run.posts);
  if (plan.posts !== null) return plan.posts.counts[run.chunk] as number;
  if (plan.kind === "or") {
    let sum = 0;
    for (const child of plan.children) sum += estimate(child, run);
    return Math.min(sum, whole);
  }
  let min = whole;
  for (const list of plan.distinct) min = Math.min(min, list.counts[run.chunk] as number);
  for (const child of plan.children) min = Math.min(min, estimate(child, run));
  if (min > 0) for (const child of plan.excluded) estimate(child, run);
  return min;
}

/** Only conjunctions and phrases drop matches outside `within`. */
function evaluate(plan: SealedPlan, run: Run, within: ChunkSet | null): ChunkSet {
  if (plan.maxMatches === 0) return emptySet;
  if (plan.posts !== null) {
    run.work.containers += 1;
    return plan.posts.set(run.chunk);
  }
  if (plan.kind === "or") return evaluateOr(plan, run, within);
  return plan.kind === "and" ? evaluateAnd(plan, run, within) : evaluatePhrase(plan, run, within);
}

function evaluateOr(plan: SealedPlan, run: Run, within: ChunkSet | null): ChunkSet {
  return or(evaluateEach(plan.children, run, within), run.scratch);
}

function* evaluateEach(
  plans: readonly SealedPlan[],
  run: Run,
  within: ChunkSet | null,
): Generator<ChunkSet, void> {
  const { scratch } = run;
  const mark = scratch.used();
  for (const plan of plans) {
    const set = evaluate(plan, run, within);
    yield within !== null && isFew(within, set) ? and(within, set, scratch) : set;
    scratch.release(mark, emptySet);
  }
}

const isFew = (within: ChunkSet, { list, count }: ChunkSet): boolean =>
  within.list !== null && within.count * 2 < (list === null ? wordsOfBitmap : count);

function evaluateAnd(plan: SealedPlan, run: Run, within: ChunkSet | null): ChunkSet {
  const { scratch } = run;
  const mark = scratch.used();
  let matches = within;
  sortByCost(plan.children);
  for (const child of plan.children) {
    const set = evaluate(child, run, matches);
    const isInside = child.kind === "phrase" || child.kind === "and";
    matches = matches === null || isInside ? set : and(matches, set, scratch);
    if (matches.count === 0) return emptySet;
    scratch.release(mark, matches);
  }
  matches ??= everyPost(postsIn(run.chunk, run.posts), scratch);
  for (const child of plan.excluded) {
    matches = andNot(matches, evaluate(child, run, matches), scratch);
    if (matches.count === 0) return emptySet;
    scratch.release(mark, matches);
  }
  return matches;
}

function sortByCost(plans: SealedPlan[]): void {
  for (let index = 1; index < plans.length; index++) {
    const plan = plans[index] as SealedPlan;
    let position = index;
    for (; position > 0; position--) {
      const before = plans[position - 1] as SealedPlan;
      if (before.cost <= plan.cost) break;
      plans[position] = before;
    }
    plans[position] = plan;
  }
}

function everyPost(count: number, scratch: Scratch): ChunkSet {
  const { bits } = scratch.take();
  const whole = count >>> 5;
  bits.fill(0xffffffff, 0, whole);
  if (whole < wordsOfBitmap) {
    bits.fill(0, whole);
    bits[whole] = ~(-1 << (count & 31));
  }
  return bitmapSet(bits, count);
}

function evaluatePhrase(plan: SealedPlan, run: Run, within: ChunkSet | null): ChunkSet {
  const { scratch, chunk } = run;
  const mark = scratch.used();
  const { distinct } = plan;
  distinct.sort((a, b) => (a.counts[chunk] as number) - (b.counts[chunk] as number));
  let candidates = within;
  for (const list of distinct) {
    run.work.containers += 1;
    const set = list.set(chunk);
    candidates = candidates === null ? set : and(candidates, set, scratch);
    if (candidates.count === 0) return emptySet;
    scratch.release(mark, candidates);
  }
  if (candidates === null) return emptySet;
  const matches = run.phrases.find(plan.phrase, chunk, candidates, scratch);
  scratch.release(mark, matches);
  return matches;
}
