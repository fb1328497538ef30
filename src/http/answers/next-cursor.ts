import type { Position } from "../../archive/archive.ts";
import {
  type CursorPosition,
  type CursorScope,
  decryptCursor,
  encryptCursor,
  fitsInCursor,
} from "../../jobs/cursor.ts";
import { type Job, noBounds, type RequestedBounds } from "../../jobs/job.ts";
import type { FetchPosition } from "../../platforms/upstream.ts";
import type { HttpContext } from "../context.ts";
import { problem } from "../problems/write-problem.ts";

export function nextPageCursor(context: Pick<HttpContext, "cursorKey">, job: Job): string | null {
  const { next = null, nextPosition = null } = job.result ?? {};
  if (next !== null || nextPosition === null) return cursorAfter(context, job, next);
  return fitsInCursor(nextPosition)
    ? encryptedCursor(context, job, { after: null, position: nextPosition })
    : null;
}

export function cursorAfter(
  context: Pick<HttpContext, "cursorKey">,
  job: Job,
  after: Position | null,
): string | null {
  return after === null ? null : encryptedCursor(context, job, { after });
}

type Continuation = { after: Position } | { after: null; position: FetchPosition };

function encryptedCursor(
  { cursorKey }: Pick<HttpContext, "cursorKey">,
  job: Job,
  continuation: Continuation,
): string {
  const { platform, type, method, fromMs, toMs, asOfMs, requestedBounds = noBounds } = job.request;
  const { accountId, canonicalQuery } = job;
  const scope = { accountId, platform, type, method, canonicalQuery };
  return encryptCursor(cursorKey, {
    ...scope,
    ...continuation,
    fromMs,
    toMs,
    asOfMs,
    requestedBounds,
  });
}

/**
 * `start_time` and `end_time` must be omitted or equal those of the cursor's search. Errors:
 * `cursor_mismatch`, `cursor_invalid`.
 */
export function continueFrom(
  { cursorKey }: Pick<HttpContext, "cursorKey">,
  scope: CursorScope,
  cursor: string,
  bounds: RequestedBounds,
): CursorPosition {
  const position = decryptCursor(cursorKey, cursor, scope);
  const { startMs, endMs } = position.requestedBounds;
  const isSame = (bounds.startMs ?? startMs) === startMs && (bounds.endMs ?? endMs) === endMs;
  if (isSame) return position;
  throw problem("cursor_mismatch", "the cursor belongs to a search with another window", {
    hint: "send start_time and end_time as in the search that returned it, or omit them",
  });
}
