import { everyPostFacet } from "@earshot/query/facets";
import { extractBounds } from "@earshot/query/plan";
import { lastId } from "../../posts/ids.ts";
import type { CountAnswer, CountRequest, CountWork, Damage } from "../archive.ts";
import { currentAnalyzer, type SegmentEntry } from "../catalog/catalog.ts";
import { expression } from "../segments/expression.ts";
import { countedFromMs } from "../segments/id-clock.ts";
import { type CountCache, countCacheKey } from "./count-cache.ts";
import { countVisit, higherId, lowerId, type Visit, visitedIds } from "./count-visit.ts";
import { type PlatformQuery, platformQuery, rowScanPlatformQuery } from "./platform-query.ts";
import { type SearchContext, segmentDamage } from "./search.ts";

/**
 * Counts the posts that a search would find, newest segments first. If a segment is unchanged, only
 * the new part of the window is counted. At the deadline, the answer is complete from
 * `countedFromMs` on; partial counts are cached, so that a retry gets further. Platforms whose
 * segments overlap share the time left.
 */
export function* countSegments(
  request: CountRequest,
  entries: readonly SegmentEntry[],
  { open, clock, isStopped, isSliceOver }: SearchContext,
  cache: CountCache,
): Generator<void, Omit<CountAnswer, "coverage">> {
  const visits = planVisits(request, entries);
  const work: CountWork = {
    segmentsInWindow: visits.length,
    segmentsCached: 0,
    segmentsOpened: 0,
    slices: 0,
    statements: 0,
  };
  const counts = new Map<number, number>();
  let countedFromMs = request.fromMs;
  const damage: Damage[] = [];

  for (const [index, visit] of visits.entries()) {
    if (index > 0 && isSliceOver()) yield;
    if (isStopped() || (index > 0 && clock.now() >= request.deadlineMs)) {
      countedFromMs = Math.max(countedFromMs, ...visits.slice(index).map(visitEnd));
      break;
    }
    if (visitEnd(visit) <= countedFromMs) continue;
    const overlappingVisits = visits.slice(index + 1).filter((other) => other.high > visit.low);
    const shareCount = 1 + new Set(overlappingVisits.map(({ entry }) => entry.platform)).size;
    const endMs = clock.now() + (request.deadlineMs - clock.now()) / shareCount;
    const slice = {
      open: () => open(visit.entry),
      isOver: () => isStopped() || clock.now() >= endMs,
      isSliceOver,
    };
    yield* open(visit.entry).verify(isSliceOver);
    const visitCounts = yield* countVisit(visit, request.bucketMs, slice, cache);
    work.slices += visitCounts.slices;
    work.statements += visitCounts.statements;
    damage.push(...segmentDamage(visit.entry, visitCounts.damaged));
    if (visitCounts.statements === 0) work.segmentsCached += 1;
    else work.segmentsOpened += 1;
    countedFromMs = Math.max(countedFromMs, visitCounts.countedFromMs);
    for (const [ms, count] of visitCounts.counts) {
      const fromMs = Math.max(request.fromMs, Math.floor(ms / request.bucketMs) * request.bucketMs);
      counts.set(fromMs, (counts.get(fromMs) ?? 0) + count);
    }
  }
  countedFromMs = completeFrom(countedFromMs, request);
  const buckets = [...counts]
    .map(([fromMs, count]) => ({ fromMs, count }))
    .filter(({ fromMs }) => fromMs >= countedFromMs)
    .sort((a, b) => a.fromMs - b.fromMs);
  return { buckets, countedFromMs, damage, work };
}

function completeFrom(countedFromMs: number, { fromMs, toMs, bucketMs }: CountRequest): number {
  if (countedFromMs <= fromMs) return fromMs;
  return Math.min(Math.ceil(countedFromMs / bucketMs) * bucketMs, toMs);
}

function planVisits(request: CountRequest, entries: readonly SegmentEntry[]): Visit[] {
  const boundedPlan = extractBounds(request.plan, request);
  const window = {
    fromMs: Math.ceil(boundedPlan.fromMs ?? request.fromMs),
    toMs: Math.ceil(boundedPlan.toMs ?? request.toMs),
  };
  if (window.fromMs >= window.toMs) return [];
  const isOutdated = entries.some(({ analyzer }) => analyzer !== currentAnalyzer);
  const queries = new Map(
    request.platforms.map((platform) => {
      const query = platformQuery(platform, boundedPlan);
      const byTerms = query && withTermExpression(query);
      const queryKey = query && countCacheKey(query, boundedPlan, request.bucketMs);
      const rowScan = isOutdated ? rowScanPlatformQuery(platform, boundedPlan) : null;
      return [platform, { byTerms, rowScan, queryKey }] as const;
    }),
  );
  return entries
    .flatMap((entry): Visit[] => {
      const { byTerms, rowScan, queryKey } = queries.get(entry.platform) ?? {};
      const query = entry.analyzer === currentAnalyzer ? byTerms : rowScan;
      if (!query || !queryKey) return [];
      const low = higherId(entry.low, boundedPlan.lowId);
      const high = lowerId(entry.high, boundedPlan.highId ?? lastId);
      const visit = { entry, query: { ...query, skew: entry.skew }, queryKey, window, low, high };
      return [{ ...visit, ...visitedIds(visit, window) }];
    })
    .filter(({ low, high }) => low <= high)
    .sort((a, b) => (a.high === b.high ? 0 : a.high > b.high ? -1 : 1));
}

const everyTerm = expression({
  kind: "terms",
  elements: [{ kind: "token", token: everyPostFacet }],
});

const withTermExpression = (query: PlatformQuery): PlatformQuery => ({
  ...query,
  expression: query.expression ?? everyTerm,
});

const visitEnd = ({ high, entry, window }: Visit): number =>
  Math.min(countedFromMs(high, entry.skew), window.toMs);
