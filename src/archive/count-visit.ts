import { type IdRange, idsOfWindow } from "../posts/ids.ts";
import type { SegmentEntry } from "./catalog.ts";
import type { CountCache, KnownCounts } from "./count-cache.ts";
import type { Grid } from "./segments/clocking.ts";
import type { CountQuery } from "./segments/count.ts";
import type { Segment } from "./segments/segment.ts";

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
  statements: number;
};

/** Counts one segment's share: whole buckets, and apart from them what the window's ends leave of one. */
export function countVisit(
  visit: Visit,
  bucketMs: number,
  segment: Segment,
  cache: CountCache,
  expired: () => boolean,
): VisitCounts {
  const { entry, question, window } = visit;
  const answer: VisitCounts = {
    counts: new Map(),
    countedFromMs: Number.NEGATIVE_INFINITY,
    damaged: [],
    statements: 0,
  };
  segment.counter.onSnapshot((version) => {
    const known = cache.find(question, segment, entry, version);
    const count = (span: Span, grid: Grid) => {
      const ids = idsOf(visit, span);
      if (ids.low > ids.high) return { counts: new Map<number, number>(), countedFromMs: null };
      const counted = segment.counter.count(visit.query, ids, grid, expired);
      answer.statements += counted.statements;
      answer.damaged.push(...counted.damaged);
      return counted;
    };
    const { head, whole, tail } = partsOf(window, bucketMs);
    for (const part of [tail, whole, head]) {
      if (part.fromMs >= part.toMs) continue;
      const reachedMs =
        part === whole ? addWhole(known, part, bucketMs, count) : addCut(known, part, count);
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
    if (answer.damaged.length === 0) cache.keep(question, segment, entry, version, known);
  });
  return answer;
}

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

type Count = (
  span: Span,
  grid: Grid,
) => { counts: Map<number, number>; countedFromMs: number | null };

/** Counts a part of a bucket unless it is known; from when on it is known then. */
function addCut({ cuts }: KnownCounts, part: Span, count: Count): number {
  const name = nameOf(part);
  const held = cuts.get(name);
  if (held !== undefined) {
    // Those asked for last stand last and are forgotten last.
    cuts.delete(name);
    cuts.set(name, held);
    return part.fromMs;
  }
  const grid = { originMs: part.fromMs, widthMs: part.toMs - part.fromMs };
  const { counts, countedFromMs } = count(part, grid);
  if (countedFromMs !== null) return part.toMs;
  cuts.set(name, counts.get(0) ?? 0);
  return part.fromMs;
}

/** Counts what is not known of whole buckets, newest first; from when on all of them are known then. */
function addWhole(known: KnownCounts, part: Span, bucketMs: number, count: Count): number {
  const isApart = part.toMs < known.fromMs || part.fromMs > known.toMs;
  if (isApart || known.fromMs === known.toMs) forgetSpan(known, part.toMs);
  const grid = { originMs: 0, widthMs: bucketMs };
  const newer = { fromMs: known.toMs, toMs: part.toMs };
  const older = { fromMs: part.fromMs, toMs: known.fromMs };
  for (const span of [newer, older]) {
    if (span.fromMs >= span.toMs) continue;
    const { counts, countedFromMs } = count(span, grid);
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
