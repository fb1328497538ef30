import type { Clock } from "../lib/clock.ts";
import { type IdRange, idsOfWindow, lastId } from "../posts/ids.ts";
import { splitWindow } from "../query/window.ts";
import { everyPost } from "../text/facets.ts";
import type { CountAnswer, CountRequest, CountWork } from "./archive.ts";
import { presentAnalyzer, type SegmentEntry } from "./catalog.ts";
import { type CountCache, type KnownCounts, questionOf } from "./count-cache.ts";
import { type PlatformQuery, platformQuery, rowByRowQuery } from "./platform-query.ts";
import { type CountQuery, countedFrom, type Grid } from "./segments/count.ts";
import { expression } from "./segments/expression.ts";
import type { Segment } from "./segments/segment.ts";

/** A span of time, Unix milliseconds, `toMs` exclusive. */
type Span = { fromMs: number; toMs: number };

/**
 * How many posts match, bucket by bucket. It counts exactly what a search would find. Segments are visited newest first, those
 * outside the window not at all; of one that has not changed since it was last counted for the same question, only what the
 * window has more than then is counted. The deadline is looked at between two segments and within one; what is returned then
 * is complete from `countedFromMs` on, and what was counted of a segment is remembered, so that the same request gets further.
 * Segments of several platforms that hold the same times share the time.
 */
export function countSegments(
  request: CountRequest,
  entries: readonly SegmentEntry[],
  open: (entry: SegmentEntry) => Segment,
  cache: CountCache,
  clock: Pick<Clock, "now">,
): Omit<CountAnswer, "held"> {
  const visits = visitsOf(request, entries);
  const work: CountWork = {
    segmentsInWindow: visits.length,
    segmentsCached: 0,
    segmentsOpened: 0,
    statements: 0,
  };
  const counts = new Map<number, number>();
  let countedFromMs = request.fromMs;

  for (const [index, visit] of visits.entries()) {
    if (index > 0 && clock.now() >= request.deadlineMs) {
      countedFromMs = Math.max(countedFromMs, ...visits.slice(index).map(endOf));
      break;
    }
    // Nothing of it would be told.
    if (endOf(visit) <= countedFromMs) continue;
    const rivals = visits.slice(index + 1).filter((other) => other.high > visit.low);
    const sharers = 1 + new Set(rivals.map(({ entry }) => entry.platform)).size;
    const endMs = clock.now() + (request.deadlineMs - clock.now()) / sharers;
    const counted = countVisit(visit, request.bucketMs, open(visit.entry), cache, () => {
      return clock.now() >= endMs;
    });
    work.statements += counted.statements;
    if (counted.statements === 0) work.segmentsCached += 1;
    else work.segmentsOpened += 1;
    countedFromMs = Math.max(countedFromMs, counted.countedFromMs);
    for (const [ms, count] of counted.counts) {
      const fromMs = Math.max(request.fromMs, Math.floor(ms / request.bucketMs) * request.bucketMs);
      counts.set(fromMs, (counts.get(fromMs) ?? 0) + count);
    }
  }
  countedFromMs = wholeFrom(countedFromMs, request);
  const buckets = [...counts]
    .map(([fromMs, count]) => ({ fromMs, count }))
    .filter(({ fromMs }) => fromMs >= countedFromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  return { buckets, countedFromMs, work };
}

/** Where the first bucket begins that is counted whole. */
function wholeFrom(countedFromMs: number, { fromMs, toMs, bucketMs }: CountRequest): number {
  if (countedFromMs <= fromMs) return fromMs;
  return Math.min(Math.ceil(countedFromMs / bucketMs) * bucketMs, toMs);
}

type Visit = IdRange & {
  entry: SegmentEntry;
  query: CountQuery;
  question: string;
  window: Span;
};

/** The segments that can hold a match, those with the newest IDs first. */
function visitsOf(request: CountRequest, entries: readonly SegmentEntry[]): Visit[] {
  const bounded = splitWindow(request.plan, request);
  // Times are whole milliseconds.
  const window = {
    fromMs: Math.ceil(bounded.fromMs ?? request.fromMs),
    toMs: Math.ceil(bounded.toMs ?? request.toMs),
  };
  if (window.fromMs >= window.toMs) return [];
  const asked = new Map(
    request.platforms.map((platform) => {
      const query = platformQuery(platform, bounded);
      const byTerms = query && inTerms(query);
      const question = query && questionOf(query, bounded, request.bucketMs);
      return [platform, { byTerms, rowByRow: rowByRowQuery(platform, bounded), question }] as const;
    }),
  );
  return entries
    .flatMap((entry): Visit[] => {
      const { byTerms, rowByRow, question } = asked.get(entry.platform) ?? {};
      const query = entry.analyzer === presentAnalyzer ? byTerms : rowByRow;
      if (!query || !question) return [];
      const low = highest(entry.low, bounded.lowId);
      const high = lowest(entry.high, bounded.highId ?? lastId);
      const owned = { entry, query: { ...query, skew: entry.skew }, question, window, low, high };
      return [{ ...owned, ...idsOf(owned, window) }];
    })
    .filter(({ low, high }) => low <= high)
    .sort((a, b) => (a.high === b.high ? 0 : a.high > b.high ? -1 : 1));
}

/** The token that every post carries is counted much faster than the rows themselves. */
const everyTerm = expression({ kind: "terms", elements: [{ kind: "token", token: everyPost }] });

const inTerms = (query: PlatformQuery): PlatformQuery => ({
  ...query,
  expression: query.expression ?? everyTerm,
});

/** The IDs of a visit that a post of a span can have. */
function idsOf({ entry, low, high }: Pick<Visit, "entry" | "low" | "high">, span: Span): IdRange {
  const ids = idsOfWindow(span.fromMs, span.toMs, entry.skew);
  return { low: highest(low, ids.low), high: lowest(high, ids.high) };
}

/** All posts of a visit are older. */
const endOf = ({ high, entry, window }: Visit): number =>
  Math.min(countedFrom(high, entry.skew), window.toMs);

type VisitCounts = {
  /** By the beginning of the bucket, or of what the window leaves of it. */
  counts: Map<number, number>;
  /** Everything from here on was counted; negative infinity where all was. */
  countedFromMs: number;
  statements: number;
};

/** Counts one segment's share: whole buckets, and apart from them what the window's ends leave of one. */
function countVisit(
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
    statements: 0,
  };
  segment.counter.onSnapshot((version) => {
    const known = cache.find(question, segment, entry, version);
    const count = (span: Span, grid: Grid) => {
      const ids = idsOf(visit, span);
      if (ids.low > ids.high) return { counts: new Map<number, number>(), countedFromMs: null };
      const counted = segment.counter.count(visit.query, ids, grid, expired);
      answer.statements += counted.statements;
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
    cache.keep(question, segment, entry, version, known);
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

const lowest = (a: bigint, b: bigint): bigint => (a < b ? a : b);
const highest = (a: bigint, b: bigint | null): bigint => (b !== null && b > a ? b : a);
