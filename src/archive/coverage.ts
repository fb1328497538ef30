import type { CoverageInterval } from "./archive.ts";

/** A span of time, Unix milliseconds, `toMs` exclusive; `fromMs` null is unbounded. */
export type Span = { fromMs: number | null; toMs: number };

/**
 * The parts of a window that no interval holds, oldest first. An interval that ends less than `slackMs` before the window's
 * end reaches it: a live stream is always a moment behind.
 */
export function gapsIn(
  window: Span,
  intervals: readonly CoverageInterval[],
  slackMs: number,
): Span[] {
  const gaps: Span[] = [];
  let reached = window.fromMs;
  for (const { fromMs, toMs } of intervals.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const end = toMs >= window.toMs - slackMs ? Math.max(toMs, window.toMs) : toMs;
    if (fromMs >= window.toMs) break;
    if (reached === null || fromMs > reached) gaps.push({ fromMs: reached, toMs: fromMs });
    if (reached === null || end > reached) reached = end;
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
