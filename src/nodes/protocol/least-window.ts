import { heldFromMs } from "../../platforms/answer/held-answer.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { AnswerRequest } from "../../platforms/source.ts";
import { parseQuery } from "../../query/parse.ts";
import { timeBoundsOf } from "./time-bounds.ts";

type Window = { fromMs: number | null; toMs: number };

/**
 * What coverage that leaves nothing out has to span at least: the window of the request, but for what its query, or the post
 * whose replies are asked for, leaves out. Null where nothing is left. Errors: `invalid_query`.
 */
export function leastWindow(request: AnswerRequest): Window | null {
  const { method, target = null, fromMs, toMs, asOfMs } = request;
  if (!isSearch(method)) {
    const heldMs = target === null ? null : heldFromMs(method, target);
    return orNull(highest(fromMs, heldMs), Math.min(toMs, asOfMs));
  }
  const { tree } = parseQuery(request.query, { maxLength: Number.POSITIVE_INFINITY });
  const { latestFromMs, earliestToMs } = timeBoundsOf(tree, asOfMs);
  return orNull(highest(fromMs, latestFromMs), Math.min(toMs, earliestToMs ?? toMs));
}

const highest = (one: number | null, other: number | null): number | null =>
  one === null || other === null ? (one ?? other) : Math.max(one, other);

/** Bounds that contradict one another leave nothing that has to be spanned. */
const orNull = (fromMs: number | null, toMs: number): Window | null =>
  fromMs === null || fromMs < toMs ? { fromMs, toMs } : null;
