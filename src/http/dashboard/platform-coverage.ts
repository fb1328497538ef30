import type { CoverageInterval } from "../../archive/archive.ts";
import { gapsIn, hasCaughtUp, platformWideIntervals } from "../../archive/catalog/coverage.ts";
import { isoText } from "../../lib/iso-time.ts";
import { joinOldest, type Span, subtractSpans } from "../../lib/spans.ts";
import type { PlatformStatus } from "./contract/status.ts";

/** Beyond this, the oldest gaps are merged. */
const maxGaps = 100;

/** `liveSinceMs` is null while the stream is disconnected. */
type CoverageRange = { fromMs: number; nowMs: number; slackMs: number; liveSinceMs: number | null };

/**
 * Time before the first interval is not a gap, nor is time after the last if all are imports. A
 * single Mastodon server's stream does not count for `complete_since`: it misses posts.
 */
export function platformCoverage(
  intervals: readonly CoverageInterval[],
  { fromMs, nowMs, slackMs, liveSinceMs }: CoverageRange,
): PlatformStatus["coverage"] {
  const platformIntervals = intervals.filter(
    ({ collection, account }) => collection === "posts" && account === null,
  );
  const firstMs = platformIntervals.reduce(
    (first, interval) => Math.min(first, interval.fromMs),
    nowMs,
  );
  const window = { fromMs: Math.max(firstMs, fromMs), toMs: nowMs };
  if (window.fromMs >= nowMs) return { held: [], gaps: [], complete_since: null };
  const allowedLagMs = hasCaughtUp(platformIntervals, liveSinceMs) ? slackMs : 0;
  const missingSpans = joinOldest(gapsIn(window, platformIntervals, nowMs, allowedLagMs), maxGaps);
  const isImportOnly = platformIntervals.every(({ source }) => source === "import");
  const gaps = isImportOnly ? missingSpans.filter(({ toMs }) => toMs < nowMs) : missingSpans;
  return {
    held: subtractSpans(window, missingSpans).map((span) => ({
      ...spanText(span, window.fromMs),
      source: formatSources(platformIntervals, span),
    })),
    gaps: gaps.map((span) => spanText(span, window.fromMs)),
    complete_since: completeSince(platformWideIntervals(intervals, "posts"), nowMs, allowedLagMs),
  };
}

/** Null if the present is not covered. */
function completeSince(
  intervals: readonly CoverageInterval[],
  nowMs: number,
  slackMs: number,
): string | null {
  const unboundedWindow = { fromMs: null, toMs: nowMs };
  const lastSpan = subtractSpans(
    unboundedWindow,
    gapsIn(unboundedWindow, intervals, nowMs, slackMs),
  ).at(-1);
  if (lastSpan === undefined || lastSpan.toMs < nowMs) return null;
  return isoText(Math.max(0, lastSpan.fromMs ?? 0));
}

function formatSources(intervals: readonly CoverageInterval[], span: Span): string {
  const startMs = span.fromMs ?? Number.NEGATIVE_INFINITY;
  const coveringIntervals = intervals.filter(
    ({ fromMs, toMs }) => toMs > startMs && fromMs < span.toMs,
  );
  return [...new Set(coveringIntervals.map(({ source }) => source))].sort().join(", ");
}

const spanText = ({ fromMs, toMs }: Span, startMs: number) => ({
  from: isoText(fromMs ?? startMs),
  to: isoText(toMs),
});
