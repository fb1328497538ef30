import type { CoverageInterval } from "../archive.ts";

/** A span of time, Unix milliseconds, `toMs` exclusive; `fromMs` null is unbounded. */
export type Span = { fromMs: number | null; toMs: number };

/** An interval that begins here or earlier reaches back before every post: nobody posted before 1970, whatever dates say. */
const firstMs = 0;

/** Sources that end where their interval ends. Any other is a stream, which goes on. */
const endedSources = new Set(["import", "backfill"]);

/**
 * Streams that bring what one server of a network sees: the ledger tells when they were followed, and nothing that they hold
 * is all that everybody wrote.
 */
const partialSource = /^mastodon-stream:/;

/** What a source is called that follows the public stream of one server. */
export const mastodonStreamSource = (host: string): string => `mastodon-stream:${host}`;

/** The end of the newest interval of a stream, Unix milliseconds; -Infinity when there is none. */
export const streamEndMs = (intervals: readonly CoverageInterval[]): number =>
  intervals
    .filter(isStream)
    .reduce((end, { toMs }) => Math.max(end, toMs), Number.NEGATIVE_INFINITY);

/**
 * Whether a stream has caught up: `liveSinceMs` is when its present connection was opened, null while there is none. What an
 * outage delayed comes first, so the stream has caught up once its intervals reach beyond that.
 */
export const hasCaughtUp = (
  intervals: readonly CoverageInterval[],
  liveSinceMs: number | null,
): boolean => liveSinceMs !== null && streamEndMs(intervals) >= liveSinceMs;

/**
 * How far the intervals of a stream that has caught up, and others beyond them, reach into a window: to its end, or to where only
 * the slack of the stream closes it.
 */
export function reachedMs(window: Span, intervals: readonly CoverageInterval[]): number {
  const newestMs = streamEndMs(intervals);
  const [gap] = gapsIn({ ...window, fromMs: newestMs }, intervals, Number.POSITIVE_INFINITY, 0);
  return gap === undefined ? window.toMs : (gap.fromMs ?? newestMs);
}

/**
 * The parts of a window that no interval holds, oldest first. A live stream is always a moment behind: where the window reaches
 * to the present, the newest interval of a stream reaches it too, unless it ended longer than `slackMs` before `nowMs`. The slack
 * is for a stream that `hasCaughtUp`; for any other it is 0.
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

/** One account's posts are fetched, not listened to. */
const isStream = ({ source, account }: CoverageInterval): boolean =>
  account === null && !endedSources.has(source);

/** The intervals of a collection that hold what everybody wrote. */
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

/** The union of several lists of spans, oldest first. */
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

/** What lies in both of two lists, each oldest first and without overlaps, as the result is. */
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

/** What is left of a window without its gaps (oldest first, within it), oldest first. */
export function intervalsIn(window: Span, gaps: readonly Span[]): Span[] {
  const held: Span[] = [];
  let reachedMs = startOf(window);
  for (const gap of gaps) {
    if (startOf(gap) > reachedMs) held.push(spanFrom(reachedMs, startOf(gap)));
    reachedMs = gap.toMs;
  }
  if (reachedMs < window.toMs) held.push(spanFrom(reachedMs, window.toMs));
  return held;
}

/** At most `count` gaps of a list, oldest first: beyond it the oldest become one, with what is held between them. */
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
