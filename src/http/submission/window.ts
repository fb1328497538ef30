import type { RequestedBounds } from "../../jobs/job.ts";
import type { SearchMethod } from "../../platforms/methods.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { type RequestedSpan, unsearchedSpan } from "./requested-span.ts";

/** `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
export type Window = { fromMs: number | null; toMs: number };

/** Four-digit years (RFC 3339). */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

export function submissionWindow(
  method: SearchMethod,
  nowMs: number,
  liveWindowMs: number,
): Window {
  const fromMs = nowMs - liveWindowMs;
  const isBounded = method === "searchbyquery" && fromMs >= earliestMs;
  return { fromMs: isBounded ? fromMs : null, toMs: nowMs };
}

/** Empty (`fromMs` = `toMs`) if nothing is left. */
export function narrowWindow(window: Window, { startMs, endMs }: RequestedBounds): Window {
  const toMs = endMs === null ? window.toMs : Math.min(window.toMs, endMs);
  const fromMs = latest(window.fromMs, startMs);
  return { fromMs: fromMs === null ? null : Math.min(fromMs, toMs), toMs };
}

function latest(a: number | null, b: number | null): number | null {
  if (a === null) return b;
  if (b === null) return a;
  return Math.max(a, b);
}

/** A short list must not pass for a complete answer. */
export function windowWarnings(
  window: Window,
  bounds: RequestedBounds,
  requested: RequestedSpan,
): readonly SourceWarning[] {
  const { fromMs } = window;
  if (bounds.startMs !== null && bounds.endMs !== null && bounds.startMs >= bounds.endMs) {
    return [
      {
        code: "empty_window",
        message: "start_time must be before end_time: no post can match",
        hint: "use a start_time before end_time",
      },
    ];
  }
  if (fromMs === null || unsearchedSpan(window, requested) === null) return [];
  const isOutside = requested.toMs !== null && requested.toMs <= fromMs;
  return [
    {
      code: isOutside ? "outside_live_window" : "cut_to_live_window",
      message: isOutside
        ? `live search starts at ${iso(fromMs)}, and the query ends before that`
        : `live search starts at ${iso(fromMs)}: older posts are not searched`,
      hint: "use searchbyfullarchive for older posts",
    },
  ];
}

export function iso(ms: number): string {
  return new Date(Math.min(Math.max(ms, earliestMs), latestMs)).toISOString();
}

export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
