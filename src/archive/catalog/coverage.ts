import type { CoverageInterval } from "../archive.ts";

/** Unix milliseconds, `toMs` exclusive; `fromMs` null is unbounded. */
export type Span = { fromMs: number | null; toMs: number };

/** Intervals from here on count as unbounded: no post is from before 1970, whatever its date. */
const firstMs = 0;

/** Sources whose intervals have ended. All others are streams, which continue. */
const endedSources = new Set(["import", "backfill"]);

/** Streams of one server's view: coverage records when they were followed, but they never have all posts. */
const partialSource = /^mastodon-stream:/;

export const mastodonStreamSource = (host: string): string => `mastodon-stream:${host}`;

/** Unix milliseconds; -Infinity if no stream has an interval. */
export const streamEndMs = (intervals: readonly CoverageInterval[]): number =>
  intervals
    .filter(isStream)
    .reduce((end, { toMs }) => Math.max(end, toMs), Number.NEGATIVE_INFINITY);

/**
 * `liveSinceMs`: when the present connection opened, null if disconnected. Delayed posts come first, so the stream has caught
 * up once its intervals reach beyond that time.
 */
export const hasCaughtUp = (
  intervals: readonly CoverageInterval[],
  liveSinceMs: number | null,
): boolean => liveSinceMs !== null && streamEndMs(intervals) >= liveSinceMs;

/**
 * How far the intervals of a caught-up stream, and others beyond them, reach into a window: to its end, or to where only the
 * slack closes it.
 */
export function reachedMs(window: Span, intervals: readonly CoverageInterval[]): number {
  const newestMs = streamEndMs(intervals);
  const [gap] = gapsIn({ ...window, fromMs: newestMs }, intervals, Number.POSITIVE_INFINITY, 0);
  return gap === undefined ? window.toMs : (gap.fromMs ?? newestMs);
}

/**
 * The uncovered parts of a window, oldest first. Live streams lag: a window that reaches the present is covered to its end
 * unless the newest stream interval ended more than `slackMs` before `nowMs`. Pass a slack only if `hasCaughtUp`, else 0.
 */
export function gapsIn(
  window: Span,
  intervals: readonly CoverageInterval[],
  nowMs: number,
  slackMs: number,
): Span[] {
  const newestMs = streamEndMs(intervals);
  const reachesPresent = window.toMs >= nowMs - slackMs && newestMs >= nowMs - slackMs;
  const gaps: Span[] = [];
  let reachedMs = startOf(window);
  for (const interval of intervals.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = interval.fromMs <= firstMs ? Number.NEGATIVE_INFINITY : interval.fromMs;
    if (fromMs >= window.toMs) break;
    const isPresent = reachesPresent && isStream(interval) && interval.toMs === newestMs;
    const toMs = isPresent ? Math.max(newestMs, window.toMs) : interval.toMs;
    if (fromMs > reachedMs) gaps.push(spanFrom(reachedMs, fromMs));
    reachedMs = Math.max(reachedMs, toMs);
  }
  if (reachedMs < window.toMs) gaps.push(spanFrom(reachedMs, window.toMs));
  return gaps;
}

/** Single accounts are fetched, not streamed. */
const isStream = ({ source, account }: CoverageInterval): boolean =>
  account === null && !endedSources.has(source);

export const intervalsOf = (
  intervals: readonly CoverageInterval[],
  collection: CoverageInterval["collection"],
): CoverageInterval[] =>
  intervals.filter(
    (interval) =>
      interval.collection === collection &&
      interval.account === null &&
      !partialSource.test(interval.source),
  );

export function unionOf(spans: readonly Span[]): Span[] {
  const sorted = spans.toSorted((a, b) => startOf(a) - startOf(b));
  const union: Span[] = [];
  for (const span of sorted) {
    const last = union.at(-1);
    if (last === undefined || startOf(span) > last.toMs) union.push({ ...span });
    else last.toMs = Math.max(last.toMs, span.toMs);
  }
  return union;
}

/** Both lists, and the result, are oldest first and without overlaps. */
export function intersectionOf(a: readonly Span[], b: readonly Span[]): Span[] {
  const both: Span[] = [];
  let atA = 0;
  let atB = 0;
  for (;;) {
    const inA = a[atA];
    const inB = b[atB];
    if (inA === undefined || inB === undefined) return both;
    const fromMs = Math.max(startOf(inA), startOf(inB));
    const toMs = Math.min(inA.toMs, inB.toMs);
    if (fromMs < toMs) both.push(spanFrom(fromMs, toMs));
    if (inA.toMs === toMs) atA += 1;
    else atB += 1;
  }
}

/** The parts of a window outside `gaps`, which are in it; both oldest first. */
export function intervalsIn(window: Span, gaps: readonly Span[]): Span[] {
  const stored: Span[] = [];
  let reachedMs = startOf(window);
  for (const gap of gaps) {
    if (startOf(gap) > reachedMs) stored.push(spanFrom(reachedMs, startOf(gap)));
    reachedMs = gap.toMs;
  }
  if (reachedMs < window.toMs) stored.push(spanFrom(reachedMs, window.toMs));
  return stored;
}

/** At most `count` gaps, oldest first: joins the oldest ones, including covered time between them. */
export function coarsened(gaps: readonly Span[], count: number): readonly Span[] {
  const [oldest] = gaps;
  const lastJoined = gaps.at(-count);
  if (gaps.length <= count || oldest === undefined || lastJoined === undefined) return gaps;
  return [{ fromMs: oldest.fromMs, toMs: lastJoined.toMs }, ...gaps.slice(gaps.length - count + 1)];
}

const startOf = ({ fromMs }: Span): number => fromMs ?? Number.NEGATIVE_INFINITY;

const spanFrom = (fromMs: number, toMs: number): Span => ({
  fromMs: fromMs === Number.NEGATIVE_INFINITY ? null : fromMs,
  toMs,
});
