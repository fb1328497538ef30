import type { RequestedBounds } from "../../jobs/job.ts";
import type { SearchMethod } from "../../platforms/methods.ts";
import type { SourceWarning } from "../../platforms/source.ts";
import { type RequestedSpan, unsearchedOf } from "./requested-span.ts";

/** Unix milliseconds; `fromMs` inclusive (null: unbounded), `toMs` exclusive. */
export type Window = { fromMs: number | null; toMs: number };

/** Times that four digits of a year can write (RFC 3339): from 0000-01-01 to the end of 9999. */
const earliestMs = Date.parse("0000-01-01T00:00:00.000Z");
const latestMs = Date.parse("9999-12-31T23:59:59.999Z");

/**
 * The window that a method searches: the last days before the submission, or everything until it. A live window that reaches
 * back further than times can be written is everything too.
 */
export function windowOf(method: SearchMethod, nowMs: number, liveWindowMs: number): Window {
  const fromMs = nowMs - liveWindowMs;
  const isBounded = method === "searchbyquery" && fromMs >= earliestMs;
  return { fromMs: isBounded ? fromMs : null, toMs: nowMs };
}

/** The part of a window between the bounds asked for; empty (`fromMs` = `toMs`) where they leave nothing. */
export function narrowWindow(window: Window, { startMs, endMs }: RequestedBounds): Window {
  const toMs = endMs === null ? window.toMs : Math.min(window.toMs, endMs);
  const fromMs = latest(window.fromMs, startMs);
  return { fromMs: fromMs === null ? null : Math.min(fromMs, toMs), toMs };
}

function latest(one: number | null, other: number | null): number | null {
  if (one === null) return other;
  if (other === null) return one;
  return Math.max(one, other);
}

/**
 * Warnings about a window in which nothing can match, or that begins later than was requested, so that a list is not taken for
 * an answer that it is not.
 */
export function windowWarnings(
  window: Window,
  asked: RequestedBounds,
  requested: RequestedSpan,
): readonly SourceWarning[] {
  const { fromMs } = window;
  if (asked.startMs !== null && asked.endMs !== null && asked.startMs >= asked.endMs) {
    return [
      {
        code: "empty_window",
        message: "start_time is not before end_time, so that no post can match",
        hint: "start_time is inclusive, end_time exclusive",
      },
    ];
  }
  if (fromMs === null || unsearchedOf(window, requested) === null) return [];
  const isOutside = requested.toMs !== null && requested.toMs <= fromMs;
  return [
    {
      code: isOutside ? "outside_live_window" : "cut_to_live_window",
      message: isOutside
        ? `searchbyquery looks back to ${iso(fromMs)}, the query ends before`
        : `searchbyquery looks back to ${iso(fromMs)}, posts from before are not searched`,
      hint: "use searchbyfullarchive for older posts",
    },
  ];
}

/** ISO 8601; a time that it cannot write is the nearest that it can. */
export function iso(ms: number): string {
  return new Date(Math.min(Math.max(ms, earliestMs), latestMs)).toISOString();
}

/** The same where there may be no time. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
