import type { CoverageInterval } from "../../archive/archive.ts";
import {
  coarsened,
  gapsIn,
  hasCaughtUp,
  intervalsIn,
  intervalsOf,
  type Span,
} from "../../archive/catalog/coverage.ts";
import { isoText } from "../../lib/iso-time.ts";
import type { PlatformStatus } from "./contract.ts";

/** How many gaps are told; beyond that the oldest become one. */
const toldGaps = 100;

/** Unix milliseconds. `liveSinceMs` is when the connection of the platform's stream was opened; null while there is none. */
type CoverageRange = { fromMs: number; nowMs: number; slackMs: number; liveSinceMs: number | null };

/**
 * What the ledger tells of a platform's posts within a range that ends at `nowMs`. What lies before the first interval is not
 * held and is no gap, and what only imports hold has none after the last of them. A stream of one server counts as held here,
 * as it is what was listened to, but not for `complete_since`: nobody hears everything there.
 */
export function platformCoverage(
  intervals: readonly CoverageInterval[],
  { fromMs, nowMs, slackMs, liveSinceMs }: CoverageRange,
): PlatformStatus["coverage"] {
  const own = intervals.filter(
    ({ collection, account }) => collection === "posts" && account === null,
  );
  const firstMs = own.reduce((first, interval) => Math.min(first, interval.fromMs), nowMs);
  const window = { fromMs: Math.max(firstMs, fromMs), toMs: nowMs };
  if (window.fromMs >= nowMs) return { held: [], gaps: [], complete_since: null };
  const grantedMs = hasCaughtUp(own, liveSinceMs) ? slackMs : 0;
  const missing = coarsened(gapsIn(window, own, nowMs, grantedMs), toldGaps);
  const isImported = own.every(({ source }) => source === "import");
  const gaps = isImported ? missing.filter(({ toMs }) => toMs < nowMs) : missing;
  return {
    held: intervalsIn(window, missing).map((span) => ({
      ...spanText(span, window.fromMs),
      source: sourcesOf(own, span),
    })),
    gaps: gaps.map((span) => spanText(span, window.fromMs)),
    complete_since: completeSince(intervalsOf(intervals, "posts"), nowMs, grantedMs),
  };
}

/** Since when everything up to now is held; null where the present is not. */
function completeSince(
  intervals: readonly CoverageInterval[],
  nowMs: number,
  slackMs: number,
): string | null {
  const always = { fromMs: null, toMs: nowMs };
  const last = intervalsIn(always, gapsIn(always, intervals, nowMs, slackMs)).at(-1);
  if (last === undefined || last.toMs < nowMs) return null;
  return isoText(Math.max(0, last.fromMs ?? 0));
}

/** Which sources hold any of a span. */
function sourcesOf(own: readonly CoverageInterval[], span: Span): string {
  const startMs = span.fromMs ?? Number.NEGATIVE_INFINITY;
  const holding = own.filter(({ fromMs, toMs }) => toMs > startMs && fromMs < span.toMs);
  return [...new Set(holding.map(({ source }) => source))].sort().join(", ");
}

const spanText = ({ fromMs, toMs }: Span, startMs: number) => ({
  from: isoText(fromMs ?? startMs),
  to: isoText(toMs),
});
