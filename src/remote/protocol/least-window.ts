import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { idTimeMs } from "../../posts/ids.ts";
import { parseQuery } from "../../query/parse.ts";
import { heldFromMs } from "../../search/archived-answer.ts";
import { liveToleranceMs } from "../../search/completeness.ts";
import { timeBoundsOf } from "./time-bounds.ts";

/** How far before the present the coverage of a complete answer may end: where the node's live stream has reached. */
const streamToleranceMs = 60_000;

type Window = { fromMs: number | null; toMs: number };

/**
 * What coverage that leaves nothing out has to span at least: the window of the request, but for what its query, or the post
 * whose replies are asked for, leaves out. Where a platform has a recent search, a live window may begin a little later. Null where nothing is left. Errors: `invalid_query`.
 */
export function leastWindow(
  request: AnswerRequest,
  { hasRecentSearch }: { hasRecentSearch: boolean },
): Window | null {
  const { method, target = null, fromMs, toMs, asOfMs, after } = request;
  if (!isSearch(method)) {
    const heldMs = target === null ? null : heldFromMs(method, target);
    return orNull(highest(fromMs, heldMs), Math.min(toMs, asOfMs) - streamToleranceMs);
  }
  const { tree } = parseQuery(request.query, { maxLength: Number.POSITIVE_INFINITY });
  const { latestFromMs, earliestToMs } = timeBoundsOf(tree, asOfMs);
  // A later page is of what is older.
  const isLate = method === "searchbyquery" && fromMs !== null && hasRecentSearch;
  const startMs = isLate ? fromMs + liveToleranceMs : fromMs;
  const reachedMs = toMs < asOfMs ? toMs : toMs - streamToleranceMs;
  const endMs = after === null ? reachedMs : Math.min(reachedMs, idTimeMs(after.id));
  return orNull(highest(startMs, latestFromMs), Math.min(endMs, earliestToMs ?? endMs));
}

const highest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Bounds that contradict one another leave nothing that has to be spanned. */
const orNull = (fromMs: number | null, toMs: number): Window | null =>
  fromMs === null || fromMs < toMs ? { fromMs, toMs } : null;
