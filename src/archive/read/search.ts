import { extractBounds } from "@earshot/query/plan";
import type { Clock } from "../../lib/clock.ts";
import {
  firstInMillisecond,
  type IdRange,
  idsWindow,
  lastId,
  uriHash,
  windowIds,
} from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { Damage, Position, SearchAnswer, SearchRequest, SegmentWork } from "../archive.ts";
import { currentAnalyzer, type SegmentEntry } from "../catalog/catalog.ts";
import type { SegmentAnswer, SegmentQuery } from "../segments/search-segment.ts";
import type { Segment } from "../segments/segment.ts";
import type { PageStart } from "./page-start.ts";
import { type BoundedPlan, platformQuery, rowScanPlatformQuery } from "./platform-query.ts";

const noIds: ReadonlySet<bigint> = new Set();

export function comparePositions(a: Position, b: Position): number {
  if (a.id !== b.id) return a.id > b.id ? -1 : 1;
  return a.platform < b.platform ? -1 : a.platform > b.platform ? 1 : 0;
}

export const isSameMillisecond = (a: Position, b: Position): boolean =>
  a.platform === b.platform &&
  a.platform !== "x" &&
  firstInMillisecond(a.id) === firstInMillisecond(b.id);

export function comesAfter(post: Position & { uri: string }, position: Position): boolean {
  if (position.uriHash === undefined || !isSameMillisecond(post, position)) {
    return comparePositions(position, post) < 0;
  }
  return uriHash(post.uri) < position.uriHash;
}

export type SearchContext = {
  open(entry: SegmentEntry): Segment;
  clock: Pick<Clock, "now" | "elapsed">;
  /** Where the page starts on the platform of `after`; default: below the ID of `after`. */
  start?: PageStart;
  isStopped(): boolean;
  isSliceOver(): boolean;
};

/**
 * Searches the newest segments first; skips those outside the window or below the posts found. On a
 * deadline or cancellation, the answer is complete down to `next`. Platforms whose segments overlap
 * share the time; each is searched a little even after the deadline, so that every page makes
 * progress. Later slices cover lower IDs, so no post is lost or found twice.
 */
export function* searchSegments(
  request: SearchRequest,
  entries: readonly SegmentEntry[],
  { open, start, clock, isStopped, isSliceOver }: SearchContext,
): Generator<void, SearchAnswer> {
  const window = extractBounds(request.plan, request);
  // One more post shows whether there is a next page.
  const neededPosts = request.limit + 1;
  const visits = planVisits(request, entries, window, start);
  const seenOn = (platform: Platform): ReadonlySet<bigint> =>
    (platform === request.after?.platform ? start?.seenIds : null) ?? noIds;
  const isShared = visits.some(({ entry }) => entry.platform !== visits[0]?.entry.platform);
  const work = {
    segmentsOfPlatforms: entries.filter(({ platform }) => request.platforms.includes(platform))
      .length,
    segmentsInWindow: visits.length,
    segmentsOpened: 0,
    slices: 0,
    statements: 0,
    candidates: 0,
    rechecked: 0,
    containers: 0,
  };
  const segments: SegmentWork[] = [];
  const damage: Damage[] = [];
  let positions: Position[] = [];
  let completeFrom: bigint | null = null;

  for (const [index, visit] of visits.entries()) {
    const oldest = positions.length === neededPosts ? positions.at(-1) : undefined;
    const low = maxId(visit.low, oldest?.id, completeFrom);
    if (low > visit.high) continue;
    const isFirst = visit.high === visits[0]?.high;
    if (index > 0 && isSliceOver()) yield;
    if (isStopped() || (!isFirst && clock.now() >= request.deadlineMs)) {
      completeFrom = visit.high + 1n;
      break;
    }
    const shares = isShared ? timeShares(visit, visits.slice(index + 1)) : 1;
    const endMs = clock.now() + (request.deadlineMs - clock.now()) / shares;
    const isOver = (): boolean => isStopped() || clock.now() >= endMs;
    yield* open(visit.entry).verify(isSliceOver);
    const ids: bigint[] = [];
    const seenIds = seenOn(visit.entry.platform);
    const damagedRanges: IdRange[] = [];
    const segmentWork = { candidates: 0, rechecked: 0, containers: 0, tookMs: 0 };
    for (let high = visit.high; ; ) {
      const startedAt = clock.elapsed();
      const answer = open(visit.entry).search(
        visit.query,
        { low, high },
        neededPosts + seenIds.size - ids.length,
        () => isSliceOver() || isOver(),
      );
      segmentWork.tookMs += clock.elapsed() - startedAt;
      segmentWork.candidates += answer.candidates;
      segmentWork.rechecked += answer.rechecked;
      segmentWork.containers += answer.containers;
      work.slices += 1;
      work.statements += answer.statements;
      ids.push(...answer.ids.filter((id) => !seenIds.has(id)));
      damagedRanges.push(...answer.damaged);
      const { stoppedAt } = answer;
      if (stoppedAt === null || stoppedAt <= low || ids.length >= neededPosts) break;
      if (isOver() && (isStopped() || !isFirst || hasProgressed(answer))) {
        completeFrom = stoppedAt;
        break;
      }
      yield;
      high = stoppedAt - 1n;
    }
    damage.push(...segmentDamage(visit.entry, damagedRanges));
    work.segmentsOpened += 1;
    work.candidates += segmentWork.candidates;
    work.rechecked += segmentWork.rechecked;
    work.containers += segmentWork.containers;
    const { platform, sequence } = visit.entry;
    if (segments.length < (request.maxListedSegments ?? 0)) {
      segments.push({ platform, sequence, ...segmentWork, found: ids.length });
    }
    const newPositions = ids.map((id) => ({ id, platform }));
    positions =
      positions.length === 0
        ? newPositions
        : [...positions, ...newPositions].sort(comparePositions).slice(0, neededPosts);
  }
  const page = makePage(positions, completeFrom, request.limit);
  return { ...page, damage, work: { ...work, returned: page.positions.length, segments } };
}

const hasProgressed = ({ termReads, containers, candidates }: SegmentAnswer): boolean =>
  termReads === 0 || containers > 0 || candidates > 0;

function timeShares({ low }: Visit, laterVisits: readonly Visit[]): number {
  const overlappingVisits = laterVisits.filter(({ high }) => high > low);
  return 1 + new Set(overlappingVisits.map(({ entry }) => entry.platform)).size;
}

type Visit = IdRange & { entry: SegmentEntry; query: SegmentQuery };

function planVisits(
  request: SearchRequest,
  entries: readonly SegmentEntry[],
  window: BoundedPlan,
  start: PageStart | undefined,
): Visit[] {
  const isOutdated = entries.some(({ analyzer }) => analyzer !== currentAnalyzer);
  const platforms = new Set(entries.map(({ platform }) => platform));
  const queries = new Map(
    request.platforms
      .filter((platform) => platforms.has(platform))
      .map((platform) => {
        const rowScan = isOutdated ? rowScanPlatformQuery(platform, window) : null;
        return [platform, { byTerms: platformQuery(platform, window), rowScan }] as const;
      }),
  );
  return entries
    .flatMap((entry): Visit[] => {
      const { byTerms, rowScan } = queries.get(entry.platform) ?? {};
      const query = entry.analyzer === currentAnalyzer ? byTerms : rowScan;
      if (!query) return [];
      const ids = windowIds(window.fromMs, window.toMs, entry.skew);
      const low = maxId(entry.low, ids.low, window.lowId);
      const after = highestAfter(request.after, entry, start);
      const high = minId(entry.high, ids.high, after, window.highId ?? lastId);
      return [
        {
          entry,
          query: { ...query, skew: entry.skew, lastWrittenInCommit: entry.lastWrittenInCommit },
          low,
          high,
        },
      ];
    })
    .filter(({ low, high }) => low <= high)
    .sort((a, b) => (a.high === b.high ? 0 : a.high > b.high ? -1 : 1));
}

function highestAfter(
  after: Position | null,
  entry: SegmentEntry,
  start: PageStart | undefined,
): bigint {
  if (after === null) return lastId;
  if (start !== undefined && entry.platform === after.platform) return start.belowId - 1n;
  return entry.platform > after.platform ? after.id : after.id - 1n;
}

function makePage(
  foundPositions: readonly Position[],
  completeFrom: bigint | null,
  limit: number,
): Omit<SearchAnswer, "work" | "damage"> {
  const completePositions =
    completeFrom === null
      ? foundPositions
      : foundPositions.filter((position) => position.id >= completeFrom);
  const positions = completePositions.slice(0, limit);
  if (completePositions.length > limit) {
    return { positions, next: positions.at(-1) ?? null, complete: true };
  }
  if (completeFrom === null) return { positions, next: null, complete: true };
  return { positions, next: { id: completeFrom, platform: "x" }, complete: false };
}

const minId = (...ids: bigint[]): bigint => ids.reduce((a, b) => (a < b ? a : b));

const maxId = (first: bigint, ...others: (bigint | null | undefined)[]): bigint =>
  others.reduce<bigint>((a, b) => (b !== null && b !== undefined && b > a ? b : a), first);

const maxSpans = 50;

export function segmentDamage(
  { platform, sequence, skew }: Pick<SegmentEntry, "platform" | "sequence" | "skew">,
  ids: readonly IdRange[],
): Damage[] {
  const ranges = ids.length <= maxSpans ? ids : [hullOf(ids)];
  return ranges.map(({ low, high }) => ({ platform, sequence, ...idsWindow(low, high, skew) }));
}

const hullOf = (ids: readonly IdRange[]): IdRange => ({
  low: ids.reduce((min, { low }) => (low < min ? low : min), ids[0]?.low ?? 0n),
  high: ids.reduce((max, { high }) => (high > max ? high : max), 0n),
});
