import { type IdRange, windowIds } from "../../posts/ids.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { CountQuery } from "../segments/count.ts";
import { add, type BucketGrid, countedFromMs } from "../segments/id-clock.ts";
import type { Segment } from "../segments/segment.ts";
import type { CountCache, KnownCounts } from "./count-cache.ts";

/** Unix milliseconds, `toMs` exclusive. */
type Span = { fromMs: number; toMs: number };

export type Visit = IdRange & {
  entry: SegmentEntry;
  query: CountQuery;
  queryKey: string;
  window: Span;
};

export function visitedIds(
  { entry, low, high }: Pick<Visit, "entry" | "low" | "high">,
  span: Span,
): IdRange {
  const ids = windowIds(span.fromMs, span.toMs, entry.skew);
  return { low: highest(low, ids.low), high: lowest(high, ids.high) };
}

type VisitCounts = {
  counts: Map<number, number>;
  countedFromMs: number;
  damaged: IdRange[];
  /** 0 if all counts were cached. */
  slices: number;
  statements: number;
};

export type CountSlice = {
  open(): Segment;
  isOver(): boolean;
  isSliceOver(): boolean;
};

/**
 * Counts whole buckets, and separately the partial ones at the ends. Slices cover disjoint ranges
 * of IDs, each in its own snapshot; the result is cached only if the segment has not changed
 * between them.
 */
export function* countVisit(
  visit: Visit,
  bucketMs: number,
  { open, isOver, isSliceOver }: CountSlice,
  cache: CountCache,
): Generator<void, VisitCounts> {
  const { entry, queryKey, window } = visit;
  const answer: VisitCounts = {
    counts: new Map(),
    countedFromMs: Number.NEGATIVE_INFINITY,
    damaged: [],
    slices: 0,
    statements: 0,
  };
  const segment = open();
  const version = segment.counter.withSnapshot((value) => value);
  let isUnchanged = true;
  const known = copyCounts(cache.find(queryKey, segment, entry, version));

  function* count(span: Span, grid: BucketGrid): Generator<void, Counted> {
    const { low, high } = visitedIds(visit, span);
    const counts = new Map<number, number>();
    for (let next = high; next >= low; ) {
      const opened = open();
      const tally = opened.counter.withSnapshot((value) => {
        if (opened !== segment || value !== version) isUnchanged = false;
        const ids = { low, high: next };
        return opened.counter.count(visit.query, ids, grid, () => isOver() || isSliceOver());
      });
      answer.slices += 1;
      answer.statements += tally.statements;
      answer.damaged.push(...tally.damaged);
      for (const [bucket, number] of tally.counts) add(counts, bucket, number);
      const { stoppedAt } = tally;
      if (stoppedAt === null || stoppedAt <= low) break;
      if (isOver()) return { counts, countedFromMs: countedFromMs(stoppedAt, visit.query.skew) };
      yield;
      next = stoppedAt - 1n;
    }
    return { counts, countedFromMs: null };
  }

  const { head, whole, tail } = splitByBucket(window, bucketMs);
  for (const part of [tail, whole, head]) {
    if (part.fromMs >= part.toMs) continue;
    const reachedMs = yield* part === whole
      ? addWhole(known, part, bucketMs, count)
      : addPartial(known, part, count);
    if (reachedMs > part.fromMs) {
      answer.countedFromMs = reachedMs;
      break;
    }
  }
  for (const part of [head, tail]) {
    const number = known.partialCounts.get(spanName(part));
    if (number) answer.counts.set(part.fromMs, number);
  }
  for (const [fromMs, number] of known.counts) {
    if (fromMs >= whole.fromMs && fromMs < whole.toMs) answer.counts.set(fromMs, number);
  }
  if (isUnchanged && answer.damaged.length === 0) {
    cache.put(queryKey, segment, entry, version, known);
  }
  return answer;
}

const copyCounts = (known: KnownCounts): KnownCounts => ({
  ...known,
  counts: new Map(known.counts),
  partialCounts: new Map(known.partialCounts),
});

function splitByBucket({ fromMs, toMs }: Span, bucketMs: number) {
  const firstMs = Math.ceil(fromMs / bucketMs) * bucketMs;
  const lastMs = Math.floor(toMs / bucketMs) * bucketMs;
  if (firstMs > lastMs) {
    const nothing = { fromMs, toMs: fromMs };
    return { head: { fromMs, toMs }, whole: nothing, tail: nothing };
  }
  return {
    head: { fromMs, toMs: firstMs },
    whole: { fromMs: firstMs, toMs: lastMs },
    tail: { fromMs: lastMs, toMs },
  };
}

const spanName = ({ fromMs, toMs }: Span): string => `${fromMs}-${toMs}`;

type Counted = { counts: Map<number, number>; countedFromMs: number | null };
type Count = (span: Span, grid: BucketGrid) => Generator<void, Counted>;

function* addPartial(
  { partialCounts }: KnownCounts,
  part: Span,
  count: Count,
): Generator<void, number> {
  const name = spanName(part);
  const stored = partialCounts.get(name);
  if (stored !== undefined) {
    partialCounts.delete(name);
    partialCounts.set(name, stored);
    return part.fromMs;
  }
  const grid = { originMs: part.fromMs, widthMs: part.toMs - part.fromMs };
  const { counts, countedFromMs } = yield* count(part, grid);
  if (countedFromMs !== null) return part.toMs;
  partialCounts.set(name, counts.get(0) ?? 0);
  return part.fromMs;
}

/** Counts newer buckets first. Returns the time from which on all buckets are counted. */
function* addWhole(
  known: KnownCounts,
  part: Span,
  bucketMs: number,
  count: Count,
): Generator<void, number> {
  const isDisjoint = part.toMs < known.fromMs || part.fromMs > known.toMs;
  if (isDisjoint || known.fromMs === known.toMs) forgetSpan(known, part.toMs);
  const grid = { originMs: 0, widthMs: bucketMs };
  const newer = { fromMs: known.toMs, toMs: part.toMs };
  const older = { fromMs: part.fromMs, toMs: known.fromMs };
  for (const span of [newer, older]) {
    if (span.fromMs >= span.toMs) continue;
    const { counts, countedFromMs } = yield* count(span, grid);
    const reachedMs =
      countedFromMs === null ? span.fromMs : Math.ceil(countedFromMs / bucketMs) * bucketMs;
    // A span that does not adjoin the known one replaces it.
    if (span === newer && reachedMs > span.fromMs) forgetSpan(known, span.toMs);
    for (const [bucket, number] of counts) {
      const fromMs = bucket * bucketMs;
      if (fromMs >= reachedMs && fromMs < span.toMs) known.counts.set(fromMs, number);
    }
    known.fromMs = Math.min(known.fromMs, reachedMs, span.toMs);
    known.toMs = Math.max(known.toMs, span.toMs);
    if (countedFromMs !== null) return Math.min(reachedMs, span.toMs);
  }
  return part.fromMs;
}

function forgetSpan(known: KnownCounts, atMs: number): void {
  known.counts.clear();
  known.fromMs = atMs;
  known.toMs = atMs;
}

export const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const highest = (a: bigint, b: bigint | null): bigint => (b !== null && b > a ? b : a);
