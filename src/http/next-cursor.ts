import { type CursorPlace, type CursorScope, openCursor, sealCursor } from "../jobs/cursor.ts";
import type { Job } from "../jobs/job.ts";
import type { HttpContext } from "./context.ts";
import { problem } from "./problem-writer.ts";
import { type AskedBounds, narrowWindow } from "./window.ts";

/** The cursor that continues where a job's result ends; null when nothing follows. */
export function cursorOf({ cursorKey }: Pick<HttpContext, "cursorKey">, job: Job): string | null {
  const next = job.result?.next ?? null;
  if (next === null) return null;
  const { platform, type, method, fromMs, toMs } = job.request;
  const { accountId, canonicalQuery } = job;
  const scope = { accountId, platform, type, method, canonicalQuery };
  return sealCursor(cursorKey, { ...scope, after: next, fromMs, toMs });
}

/**
 * Where a cursor continues. The window is the cursor's own; `start_time` and `end_time` may be repeated or left out, and are a
 * `cursor_mismatch` where they would narrow it further.
 */
export function continueFrom(
  { cursorKey }: Pick<HttpContext, "cursorKey">,
  scope: CursorScope,
  cursor: string,
  asked: AskedBounds,
): CursorPlace {
  const place = openCursor(cursorKey, cursor, scope);
  const narrowed = narrowWindow(place, asked);
  if (narrowed.fromMs === place.fromMs && narrowed.toMs === place.toMs) return place;
  throw problem("cursor_mismatch", "the cursor belongs to a search of another window", {
    hint: "send start_time and end_time as in the search that it came from, or leave them out",
  });
}
