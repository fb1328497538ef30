/** Texts about coverage, the same on every page. */

import type { AccessMethod } from "../../src/platforms/source.ts";
import type { Platform } from "../../src/posts/post.ts";
import { exactTime, shortTime } from "./components/time.tsx";
import type { TraceData } from "./components/trace-drawing.ts";
import { quantityText, spanDurationText } from "./numbers.ts";

export type Span = { from: string | null; to: string };

export type Source = { platform: Platform; via: AccessMethod; count: number };

export type PlatformAnswer = {
  complete: boolean;
  /** The covered spans, oldest first. */
  held: readonly Span[];
  /** The missing spans, oldest first. */
  gaps: readonly Span[];
};

type Window = { from: string | null; to: string };

/** About one platform, without a final period. */
export function coverageText(
  { complete, held, gaps }: PlatformAnswer,
  sources: readonly Source[],
  window: Window,
  nowMs: number,
): string {
  const share = liveShare(sources);
  if (share !== "none") {
    const liveText = share === "all" ? "answered live" : "partly answered live";
    return complete ? `Complete, ${liveText}` : `${capitalised(liveText)}, may be incomplete`;
  }
  if (complete) return completeText(window, nowMs);
  const [first] = held;
  // Posts that do not match may be archived; that is not known here.
  if (first === undefined) {
    return sources.some(({ count }) => count > 0) ? nothingText(1) : "Coverage unknown";
  }
  const laterGaps = innerGaps(held, gaps);
  const startTexts =
    gaps.length > laterGaps.length && first.from !== null
      ? [`Archived since ${shortTime(first.from, nowMs)}`]
      : [];
  const texts = [...startTexts, ...(laterGaps.length === 0 ? [] : [gapsText(laterGaps)])];
  return texts.length === 0 ? "No gaps, but may be incomplete" : texts.join("; ");
}

/** For a platform without any complete span. */
export function nothingText(postsFound: number): string {
  return postsFound > 0 ? "Some posts, coverage unknown" : "Not archived";
}

/** Whether posts came from the platform instead of the archive. */
export function liveShare(sources: readonly Source[]): "none" | "some" | "all" {
  if (sources.every(({ via }) => via === "archive")) return "none";
  return sources.some(({ via, count }) => via === "archive" && count > 0) ? "some" : "all";
}

/** Time before the first archived span is not a gap. */
export function innerGaps<Gap extends Span>(held: readonly Span[], gaps: readonly Gap[]): Gap[] {
  const firstMs = Date.parse(held[0]?.from ?? "");
  return gaps.filter(({ to }) => Number.isNaN(firstMs) || Date.parse(to) > firstMs);
}

/** "2 gaps, 5 h 29 min". */
export function gapsText(gaps: readonly Span[]): string {
  const boundedGaps = gaps.filter(({ from }) => from !== null);
  const ms = boundedGaps.reduce(
    (sum, { from, to }) => sum + Date.parse(to) - Date.parse(from ?? to),
    0,
  );
  const length = boundedGaps.length === gaps.length ? `, ${spanDurationText(ms)}` : "";
  return `${quantityText(gaps.length, "gap")}${length}`;
}

/** "Complete from Nov 21, 14:00 to now". */
function completeText(window: Window, nowMs: number): string {
  return `Complete ${windowText(window, nowMs)}`;
}

export function windowText({ from, to }: Window, nowMs: number): string {
  const start = from === null ? "" : `from ${shortTime(from, nowMs)} `;
  return `${start}to ${endText(to, nowMs)}`;
}

const presentMs = 2 * 60_000;

/** "now", or the time. */
export function endText(to: string, nowMs: number): string {
  return nowMs - Date.parse(to) < presentMs ? "now" : shortTime(to, nowMs);
}

export function traceLabel(
  name: string,
  { held, gaps }: Pick<TraceData, "held" | "gaps">,
  span: string,
): string {
  if (held.length === 0 && gaps.length === 0) return `${name}: nothing archived in ${span}`;
  const timeText = (ms: number) => exactTime(new Date(ms).toISOString());
  const [first] = held;
  if (gaps.length === 0) {
    const from = first === undefined ? "" : `, archived from ${timeText(first.fromMs)}`;
    return `${name}: no gaps in ${span}${from}`;
  }
  const gapTexts = gaps
    .slice(0, 5)
    .map(({ fromMs, toMs }) => `${timeText(fromMs)} to ${timeText(toMs)}`);
  const moreText =
    gaps.length > gapTexts.length ? `, and ${gaps.length - gapTexts.length} more` : "";
  return `${name}: ${quantityText(gaps.length, "gap")} in ${span}, ${gapTexts.join(", ")}${moreText}`;
}

const capitalised = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
