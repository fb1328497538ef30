import { type Span, spanFrom, spanStart } from "../../lib/spans.ts";
import type { CoverageInterval } from "../archive.ts";

/** No post predates 1970, so an interval that starts then or earlier is unbounded. */
const earliestPostMs = 0;

const finiteSources = new Set(["import", "backfill"]);

/** A single Mastodon server does not receive all posts. */
const partialSource = /^mastodon-stream:/;

export const mastodonStreamSource = (host: string): string => `mastodon-stream:${host}`;

/** The end of the newest stream interval; -Infinity if there is none. */
export const streamEndMs = (intervals: readonly CoverageInterval[]): number =>
  intervals
    .filter(isStream)
    .reduce((end, { toMs }) => Math.max(end, toMs), Number.NEGATIVE_INFINITY);

/**
 * A stream delivers missed posts first. It has caught up when its intervals reach `liveSinceMs`,
 * the opening of its connection.
 */
export const hasCaughtUp = (
  intervals: readonly CoverageInterval[],
  liveSinceMs: number | null,
): boolean => liveSinceMs !== null && streamEndMs(intervals) >= liveSinceMs;

export function coveredUntilMs(window: Span, intervals: readonly CoverageInterval[]): number {
  const newestMs = streamEndMs(intervals);
  const [gap] = gapsIn({ ...window, fromMs: newestMs }, intervals, Number.POSITIVE_INFINITY, 0);
  return gap === undefined ? window.toMs : (gap.fromMs ?? newestMs);
}

/**
 * The gaps, oldest first. Streams lag: a window that reaches the present is covered to its end if
 * the newest stream interval ended at most `slackMs` before `nowMs`. Pass 0 unless `hasCaughtUp`.
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
  let coveredToMs = spanStart(window);
  for (const interval of intervals.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const fromMs = interval.fromMs <= earliestPostMs ? Number.NEGATIVE_INFINITY : interval.fromMs;
    if (fromMs >= window.toMs) break;
    const extendsToPresent = reachesPresent && isStream(interval) && interval.toMs === newestMs;
    const toMs = extendsToPresent ? Math.max(newestMs, window.toMs) : interval.toMs;
    if (fromMs > coveredToMs) gaps.push(spanFrom(coveredToMs, fromMs));
    coveredToMs = Math.max(coveredToMs, toMs);
  }
  if (coveredToMs < window.toMs) gaps.push(spanFrom(coveredToMs, window.toMs));
  return gaps;
}

const isStream = ({ source, account }: CoverageInterval): boolean =>
  account === null && !finiteSources.has(source);

/** Omits intervals of single accounts and Mastodon streams. */
export const platformWideIntervals = (
  intervals: readonly CoverageInterval[],
  collection: CoverageInterval["collection"],
): CoverageInterval[] =>
  intervals.filter(
    (interval) =>
      interval.collection === collection &&
      interval.account === null &&
      !partialSource.test(interval.source),
  );
