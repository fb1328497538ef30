import type { AskedBounds } from "../jobs/job.ts";
import type { SearchMethod } from "../platforms/methods.ts";
import type { SourceWarning } from "../platforms/source.ts";
import type { QueryNode } from "../query/tree.ts";

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
export function narrowWindow(window: Window, { startMs, endMs }: AskedBounds): Window {
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
 * Remarks on a window in which nothing can be found, or that begins later than was asked for, so that a list is not taken for
 * an answer that it is not.
 */
export function windowWarnings(
  window: Window,
  asked: AskedBounds,
  tree: QueryNode,
): readonly SourceWarning[] {
  const untilMs = earliestUntil(tree, asked.endMs);
  const sinceMs = latestSince(tree, asked.startMs);
  const fromMs = window.fromMs;
  if (fromMs !== null && untilMs !== null && untilMs <= fromMs) {
    return [
      {
        code: "outside_live_window",
        message: `searchbyquery looks back to ${iso(fromMs)}, the query ends before`,
        hint: "use searchbyfullarchive for older posts",
      },
    ];
  }
  if (asked.startMs !== null && asked.endMs !== null && asked.startMs >= asked.endMs) {
    return [
      {
        code: "empty_window",
        message: "start_time is not before end_time, so that no post can match",
        hint: "start_time is inclusive, end_time exclusive",
      },
    ];
  }
  if (fromMs !== null && sinceMs !== null && sinceMs < fromMs) {
    return [
      {
        code: "cut_to_live_window",
        message: `searchbyquery looks back to ${iso(fromMs)}, posts from before are not searched`,
        hint: "use searchbyfullarchive for older posts",
      },
    ];
  }
  return [];
}

/** The earliest end that binds the whole query: `end_time`, or an `until:` that is not one of alternatives. */
function earliestUntil(tree: QueryNode, endMs: number | null): number | null {
  const ends = conjunctsOf(tree).flatMap((node) => (node.kind === "until" ? [node.ms] : []));
  if (endMs !== null) ends.push(endMs);
  return ends.length === 0 ? null : Math.min(...ends);
}

/** The latest begin that binds the whole query: `start_time`, or a `since:` that is not one of alternatives. */
function latestSince(tree: QueryNode, startMs: number | null): number | null {
  const begins = conjunctsOf(tree).flatMap((node) => (node.kind === "since" ? [node.ms] : []));
  if (startMs !== null) begins.push(startMs);
  return begins.length === 0 ? null : Math.max(...begins);
}

function conjunctsOf(tree: QueryNode): readonly QueryNode[] {
  return tree.kind === "and" ? tree.children : [tree];
}

/** ISO 8601; a time that it cannot write is the nearest that it can. */
export function iso(ms: number): string {
  return new Date(Math.min(Math.max(ms, earliestMs), latestMs)).toISOString();
}

/** The same where there may be no time. */
export function isoOrNull(ms: number | null): string | null {
  return ms === null ? null : iso(ms);
}
