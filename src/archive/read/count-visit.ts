import { type IdRange, windowIds } from "../../posts/ids.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { CountQuery } from "../segments/count.ts";
import { addToBucket, type BucketGrid, countedFromMs } from "../segments/id-clock.ts";
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
  return { low: higherId(low, ids.low), high: lowerId(high, ids.high) };
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
  const visitCounts: VisitCounts = {
    counts: new Map(),
    countedFromMs: Number.NEGATIVE_INFINITY,
    damaged: [],
    slices: 0,
    statements: 0,
  };
  const segment = open();
  const version = segment.counter.withSnapshot((value) => value);
  let isUnchanged = true;
  const knownCounts = copyCounts(cache.find(queryKey, segment, entry, version));

  function* count(span: Span, grid: BucketGrid): Generator<void, SpanCounts> {
    const { low, high } = visitedIds(visit, span);
    const counts = new Map<number, number>();
    for (let next = high; next >= low; ) {
      const currentSegment = open();
      const tally = currentSegment.counter.withSnapshot((value) => {
        if (currentSegment !== segment || value !== version) isUnchanged = false;
        const ids = { low, high: next };
        return currentSegment.counter.count(
          visit.query,
          ids,
          grid,
          () => isOver() || isSliceOver(),
        );
      });
      visitCounts.slices += 1;
      visitCounts.statements += tally.statements;
      visitCounts.damaged.push(...tally.damaged);
      for (const [bucket, posts] of tally.counts) addToBucket(counts, bucket, posts);
      const { stoppedAt } = tally;
      if (stoppedAt === null || stoppedAt <= low) break;
      if (isOver()) return { counts, countedFromMs: countedFromMs(stoppedAt, visit.query.skew) };
      yield;
      next = stoppedAt - 1n;
    }
    return { counts, countedFromMs: null };
  }

  const { head, whole: wholeBuckets, tail } = splitByBucket(window, bucketMs);
  for (const span of [tail, wholeBuckets, head]) {
    if (span.fromMs >= span.toMs) continue;
    const reachedMs = yield* span === wholeBuckets
      ? addWhole(knownCounts, span, bucketMs, count)
      : addPartial(knownCounts, span, count);
    if (reachedMs > span.fromMs) {
      visitCounts.countedFromMs = reachedMs;
      break;
    }
  }
  for (const span of [head, tail]) {
    const posts = knownCounts.partialCounts.get(spanName(span));
    if (posts) visitCounts.counts.set(span.fromMs, posts);
  }
  for (const [fromMs, posts] of knownCounts.counts) {
    if (fromMs >= wholeBuckets.fromMs && fromMs < wholeBuckets.toMs)
      visitCounts.counts.set(fromMs, posts);
  }
  if (isUnchanged && visitCounts.damaged.length === 0) {
    cache.put(queryKey, segment, entry, version, knownCounts);
  }
  return visitCounts;
}

const copyCounts = (knownCounts: KnownCounts): KnownCounts => ({
  ...knownCounts,
  counts: new Map(knownCounts.counts),
  partialCounts: new Map(knownCounts.partialCounts),
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

type SpanCounts = { counts: Map<number, number>; countedFromMs: number | null };
type CountSpan = (span: Span, grid: BucketGrid) => Generator<void, SpanCounts>;

function* addPartial(
  { partialCounts }: KnownCounts,
  span: Span,
  count: CountSpan,
): Generator<void, number> {
  const name = spanName(span);
  const cachedCount = partialCounts.get(name);
  if (cachedCount !== undefined) {
    partialCounts.delete(name);
    partialCounts.set(name, cachedCount);
    return span.fromMs;
  }
  const grid = { originMs: span.fromMs, widthMs: span.toMs - span.fromMs };
  const { counts, countedFromMs } = yield* count(span, grid);
  if (countedFromMs !== null) return span.toMs;
  partialCounts.set(name, counts.get(0) ?? 0);
  return span.fromMs;
}

/** Counts newer buckets first. Returns the time from which on all buckets are counted. */
function* addWhole(
  knownCounts: KnownCounts,
  part: Span,
  bucketMs: number,
  count: CountSpan,
): Generator<void, number> {
  const isDisjoint = part.toMs < knownCounts.fromMs || part.fromMs > knownCounts.toMs;
  if (isDisjoint || knownCounts.fromMs === knownCounts.toMs) forgetSpan(knownCounts, part.toMs);
  const grid = { originMs: 0, widthMs: bucketMs };
  const newerSpan = { fromMs: knownCounts.toMs, toMs: part.toMs };
  const olderSpan = { fromMs: part.fromMs, toMs: knownCounts.fromMs };
  for (const span of [newerSpan, olderSpan]) {
    if (span.fromMs >= span.toMs) continue;
    const { counts, countedFromMs } = yield* count(span, grid);
    const reachedMs =
      countedFromMs === null ? span.fromMs : Math.ceil(countedFromMs / bucketMs) * bucketMs;
    // A span that does not adjoin the known one replaces it.
    if (span === newerSpan && reachedMs > span.fromMs) forgetSpan(knownCounts, span.toMs);
    for (const [bucket, posts] of counts) {
      const fromMs = bucket * bucketMs;
      if (fromMs >= reachedMs && fromMs < span.toMs) knownCounts.counts.set(fromMs, posts);
    }
    knownCounts.fromMs = Math.min(knownCounts.fromMs, reachedMs, span.toMs);
    knownCounts.toMs = Math.max(knownCounts.toMs, span.toMs);
    if (countedFromMs !== null) return Math.min(reachedMs, span.toMs);
  }
  return part.fromMs;
}

function forgetSpan(knownCounts: KnownCounts, atMs: number): void {
  knownCounts.counts.clear();
  knownCounts.fromMs = atMs;
  knownCounts.toMs = atMs;
}

export const lowerId = (a: bigint, b: bigint): bigint => (a < b ? a : b);
export const higherId = (a: bigint, b: bigint | null): bigint => (b !== null && b > a ? b : a);
