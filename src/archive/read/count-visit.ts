import { type IdRange, idsOfWindow } from "../../posts/ids.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { add, countedFrom, type Grid } from "../segments/clocking.ts";
import type { CountQuery } from "../segments/count.ts";
import type { Segment } from "../segments/segment.ts";
import type { CountCache, KnownCounts } from "./count-cache.ts";

/** A span of time, Unix milliseconds, `toMs` exclusive. */
type Span = { fromMs: number; toMs: number };

/** A segment that is to be counted: what it is asked, of which time, among which of its IDs. */
export type Visit = IdRange & {
  entry: SegmentEntry;
  query: CountQuery;
  question: string;
  window: Span;
};

/** The IDs of a visit that a post of a span can have. */
export function idsOf(
  { entry, low, high }: Pick<Visit, "entry" | "low" | "high">,
  span: Span,
): IdRange {
  const ids = idsOfWindow(span.fromMs, span.toMs, entry.skew);
  return { low: highest(low, ids.low), high: lowest(high, ids.high) };
}

type VisitCounts = {
  /** By the beginning of the bucket, or of what the window leaves of it. */
  counts: Map<number, number>;
  /** Everything from here on was counted; negative infinity where all was. */
  countedFromMs: number;
  /** Posts that may not be counted: such a count is not remembered. */
  damaged: IdRange[];
  /** How often the segment was counted in; not at all where everything was known. */
  slices: number;
  statements: number;
};

/** What a count needs of the thread that runs it. */
export type CountSlice = {
  /** Opens the segment of the visit, or returns the open one. */
  open(): Segment;
  /** Whether the time of the visit is over, or the count was cancelled. */
  isOver(): boolean;
  /** Whether the count has to yield, so that another call has its turn. */
  isSliceOver(): boolean;
};

/**
 * Counts one segment's share: whole buckets, and apart from them what the window's ends leave of one. It yields when its slice is
 * over; the slices count disjoint ranges of IDs, each on a snapshot of its own. What was counted is remembered only if nothing was
 * written to the segment between them.
 */
export function* countVisit(
  visit: Visit,
  bucketMs: number,
  { open, isOver, isSliceOver }: CountSlice,
  cache: CountCache,
): Generator<void, VisitCounts> {
  const { entry, question, window } = visit;
  const answer: VisitCounts = {
    counts: new Map(),
    countedFromMs: Number.NEGATIVE_INFINITY,
    damaged: [],
    slices: 0,
    statements: 0,
  };
  const segment = open();
  const version = segment.counter.onSnapshot((each) => each);
  let isUnchanged = true;
  // Another count may remember more while this one is suspended.
  const known = copyOf(cache.find(question, segment, entry, version));

  function* count(span: Span, grid: Grid): Generator<void, Counted> {
    const { low, high } = idsOf(visit, span);
    const counts = new Map<number, number>();
    for (let next = high; next >= low; ) {
      const opened = open();
      const counted = opened.counter.onSnapshot((each) => {
        if (opened !== segment || each !== version) isUnchanged = false;
        const ids = { low, high: next };
        return opened.counter.count(visit.query, ids, grid, () => isOver() || isSliceOver());
      });
      answer.slices += 1;
      answer.statements += counted.statements;
      answer.damaged.push(...counted.damaged);
      for (const [stretch, number] of counted.counts) add(counts, stretch, number);
      const { stoppedAt } = counted;
      if (stoppedAt === null || stoppedAt <= low) break;
      if (isOver()) return { counts, countedFromMs: countedFrom(stoppedAt, visit.query.skew) };
      yield;
      next = stoppedAt - 1n;
    }
    return { counts, countedFromMs: null };
  }

  const { head, whole, tail } = partsOf(window, bucketMs);
  for (const part of [tail, whole, head]) {
    if (part.fromMs >= part.toMs) continue;
    const reachedMs = yield* part === whole
      ? addWhole(known, part, bucketMs, count)
      : addCut(known, part, count);
    if (reachedMs > part.fromMs) {
      answer.countedFromMs = reachedMs;
      break;
    }
  }
  for (const part of [head, tail]) {
    const number = known.cuts.get(nameOf(part));
    if (number) answer.counts.set(part.fromMs, number);
  }
  for (const [fromMs, number] of known.counts) {
    if (fromMs >= whole.fromMs && fromMs < whole.toMs) answer.counts.set(fromMs, number);
  }
  if (isUnchanged && answer.damaged.length === 0) {
    cache.keep(question, segment, entry, version, known);
  }
  return answer;
}

const copyOf = (known: KnownCounts): KnownCounts => ({
  ...known,
  counts: new Map(known.counts),
  cuts: new Map(known.cuts),
});

/** A window's whole buckets, and what it has of one more before and after them; any may be empty. */
function partsOf({ fromMs, toMs }: Span, bucketMs: number) {
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

const nameOf = ({ fromMs, toMs }: Span): string => `${fromMs}-${toMs}`;

type Counted = { counts: Map<number, number>; countedFromMs: number | null };
type Count = (span: Span, grid: Grid) => Generator<void, Counted>;

/** Counts a part of a bucket unless it is known; from when on it is known then. */
function* addCut({ cuts }: KnownCounts, part: Span, count: Count): Generator<void, number> {
  const name = nameOf(part);
  const held = cuts.get(name);
  if (held !== undefined) {
    // Those asked for last stand last and are forgotten last.
    cuts.delete(name);
    cuts.set(name, held);
    return part.fromMs;
  }
  const grid = { originMs: part.fromMs, widthMs: part.toMs - part.fromMs };
  const { counts, countedFromMs } = yield* count(part, grid);
  if (countedFromMs !== null) return part.toMs;
  cuts.set(name, counts.get(0) ?? 0);
  return part.fromMs;
}

/** Counts what is not known of whole buckets, newest first; from when on all of them are known then. */
function* addWhole(
  known: KnownCounts,
  part: Span,
  bucketMs: number,
  count: Count,
): Generator<void, number> {
  const isApart = part.toMs < known.fromMs || part.fromMs > known.toMs;
  if (isApart || known.fromMs === known.toMs) forgetSpan(known, part.toMs);
  const grid = { originMs: 0, widthMs: bucketMs };
  const newer = { fromMs: known.toMs, toMs: part.toMs };
  const older = { fromMs: part.fromMs, toMs: known.fromMs };
  for (const span of [newer, older]) {
    if (span.fromMs >= span.toMs) continue;
    const { counts, countedFromMs } = yield* count(span, grid);
    const reachedMs =
      countedFromMs === null ? span.fromMs : Math.ceil(countedFromMs / bucketMs) * bucketMs;
    // What is not joined to the span that is known takes its place.
    if (span === newer && reachedMs > span.fromMs) forgetSpan(known, span.toMs);
    for (const [stretch, number] of counts) {
      const fromMs = stretch * bucketMs;
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
