import type { QueryNode } from "@earshot/query/tree";
import type { RequestedBounds } from "../../jobs/job.ts";
import type { SearchMethod } from "../../platforms/methods.ts";
import type { SourceWarning, UnsearchedSpan } from "../../platforms/source.ts";
import { hasTime, idTimeMs } from "../../posts/ids.ts";

/** `fromMs` is inclusive (null if unbounded), `toMs` exclusive. */
export type Window = { fromMs: number | null; toMs: number };

/** Limits of four-digit years (RFC 3339). */
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
  querySpan: RequestedSpan,
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
  if (fromMs === null || unsearchedSpan(window, querySpan) === null) return [];
  const isOutside = querySpan.toMs !== null && querySpan.toMs <= fromMs;
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

/** `toMs` is exclusive; null means unbounded. */
type RequestedSpan = { fromMs: number | null; toMs: number | null };

const unboundedSpan: RequestedSpan = { fromMs: null, toMs: null };

/** On X, post times are in seconds, IDs in milliseconds. */
const idSlackMs = 1_000;

/**
 * The span that `start_time`, `end_time` and operators allow. It contains every match: alternatives
 * count as their hull, and `within_time:` counts back from `asOfMs`.
 */
export function requestedSpan(
  tree: QueryNode,
  { startMs, endMs }: RequestedBounds,
  asOfMs: number,
): RequestedSpan {
  return intersection([{ fromMs: startMs, toMs: endMs }, nodeSpan(tree, asOfMs)]);
}

/** The part of the requested span before the window; null if there is none. */
export function unsearchedSpan(
  { fromMs: windowFromMs }: Pick<Window, "fromMs">,
  { fromMs, toMs }: RequestedSpan,
): UnsearchedSpan | null {
  if (windowFromMs === null) return null;
  const endMs = toMs === null ? windowFromMs : Math.min(toMs, windowFromMs);
  if (fromMs !== null) return fromMs < endMs ? { fromMs, toMs: endMs } : null;
  return toMs !== null && toMs <= windowFromMs ? { fromMs, toMs } : null;
}

function nodeSpan(node: QueryNode, asOfMs: number, isNegated = false): RequestedSpan {
  const spanAfter = (ms: number | null): RequestedSpan => ({ fromMs: ms, toMs: null });
  const spanBefore = (ms: number | null): RequestedSpan => ({ fromMs: null, toMs: ms });
  const getChildSpans = ({ children }: { children: readonly QueryNode[] }) =>
    children.map((child) => nodeSpan(child, asOfMs, isNegated));
  const [start, end] = isNegated ? [spanBefore, spanAfter] : [spanAfter, spanBefore];
  const slackMs = isNegated ? -idSlackMs : idSlackMs;
  switch (node.kind) {
    case "and":
      return isNegated ? hull(getChildSpans(node)) : intersection(getChildSpans(node));
    case "or":
      return isNegated ? intersection(getChildSpans(node)) : hull(getChildSpans(node));
    case "not":
      return nodeSpan(node.child, asOfMs, !isNegated);
    case "since":
      return start(node.ms);
    case "until":
      return end(node.ms);
    case "within":
      return start(asOfMs - node.ms);
    case "since-id":
      return start(idTime(node.id, -slackMs));
    case "max-id":
      return end(idTime(node.id, slackMs));
    default:
      return unboundedSpan;
  }
}

function idTime(id: string, slackMs: number): number | null {
  const number = BigInt(id);
  return hasTime(number) ? idTimeMs(number) + slackMs : null;
}

function intersection(spans: readonly RequestedSpan[]): RequestedSpan {
  const starts = spans.flatMap(({ fromMs }) => (fromMs === null ? [] : [fromMs]));
  const ends = spans.flatMap(({ toMs }) => (toMs === null ? [] : [toMs]));
  return {
    fromMs: starts.length === 0 ? null : Math.max(...starts),
    toMs: ends.length === 0 ? null : Math.min(...ends),
  };
}

function hull(spans: readonly RequestedSpan[]): RequestedSpan {
  const starts = spans.map(({ fromMs }) => fromMs ?? Number.NEGATIVE_INFINITY);
  const ends = spans.map(({ toMs }) => toMs ?? Number.POSITIVE_INFINITY);
  const [fromMs, toMs] = [Math.min(...starts), Math.max(...ends)];
  return {
    fromMs: fromMs === Number.NEGATIVE_INFINITY ? null : fromMs,
    toMs: toMs === Number.POSITIVE_INFINITY ? null : toMs,
  };
}
