import type { CoverageInterval } from "./archive.ts";

/** A span of time, Unix milliseconds, `toMs` exclusive; `fromMs` null is unbounded. */
export type Span = { fromMs: number | null; toMs: number };

/** What an import declares; any other source is a stream, which goes on. */
const importSource = "import";

/**
 * The parts of a window that no interval holds, oldest first. A live stream is always a moment behind: where the window reaches
 * to the present, the newest interval of a stream reaches it too, unless it ended longer than `slackMs` before `nowMs`.
 */
export function gapsIn(
  window: Span,
  intervals: readonly CoverageInterval[],
  nowMs: number,
  slackMs: number,
): Span[] {
  const newest = intervals
    .filter(({ source }) => source !== importSource)
    .reduce((end, { toMs }) => Math.max(end, toMs), Number.NEGATIVE_INFINITY);
  const reachesPresent = window.toMs >= nowMs - slackMs && newest >= nowMs - slackMs;
  const gaps: Span[] = [];
  let reached = window.fromMs;
  for (const interval of intervals.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const { fromMs, source } = interval;
    if (fromMs >= window.toMs) break;
    const isPresent = reachesPresent && source !== importSource && interval.toMs === newest;
    const toMs = isPresent ? Math.max(newest, window.toMs) : interval.toMs;
    if (reached === null || fromMs > reached) gaps.push({ fromMs: reached, toMs: fromMs });
    if (reached === null || toMs > reached) reached = toMs;
  }
  if (reached === null || reached < window.toMs) gaps.push({ fromMs: reached, toMs: window.toMs });
  return gaps.filter((gap) => gap.fromMs === null || gap.fromMs < gap.toMs);
}

/** The union of several lists of gaps, oldest first. */
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

const startOf = ({ fromMs }: Span): number => fromMs ?? Number.NEGATIVE_INFINITY;
