import type { Caller } from "../../accounts/authenticate.ts";
import type { CursorScope } from "../../jobs/cursor.ts";
import { encryptCursor } from "../../jobs/cursor.ts";
import type { RequestedBounds } from "../../jobs/job.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { SearchPlatform } from "../../platforms/source.ts";
import type { HttpContext } from "../context.ts";
import { withPointer } from "../problems/with-pointer.ts";
import { problem } from "../problems/write-problem.ts";
import type { CountsQuery } from "../schemas/counts.ts";
import { continueFrom } from "./next-cursor.ts";

export const granularityMs = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

type Granularity = keyof typeof granularityMs;

export type CountsRequestParams = {
  caller: Caller;
  platform: SearchPlatform;
  granularity: Granularity;
  canonicalQuery: string;
  bounds: RequestedBounds;
};

export type CountsPage = {
  fromMs: number;
  toMs: number;
  windowFromMs: number;
  /** When the first page was requested. */
  asOfMs: number;
};

type PageContext = Pick<HttpContext, "cursorKey" | "clock" | "settings">;

export function readRequestedBounds({ start_time, end_time }: CountsQuery): RequestedBounds {
  return { startMs: readTimeMs(start_time), endMs: readTimeMs(end_time) };
}

const readTimeMs = (text: string | undefined): number | null =>
  text === undefined ? null : Date.parse(text);

/**
 * The window ends at `end_time`, but at most now, and starts at `start_time`, by default one live
 * window earlier.
 */
export function makeCountsPage(
  context: PageContext,
  params: CountsRequestParams,
  token: string | undefined,
): CountsPage {
  const { bounds: requestedBounds, granularity } = params;
  const { liveWindowMs, maxCountBuckets } = context.settings;
  const position =
    token === undefined
      ? null
      : withPointer("/next_token", () => decryptToken(context, params, token));
  const asOfMs = position?.asOfMs ?? context.clock.now();
  const toMs = position?.toMs ?? Math.min(asOfMs, requestedBounds.endMs ?? asOfMs);
  const windowFromMs = Math.min(
    position?.fromMs ?? requestedBounds.startMs ?? toMs - liveWindowMs,
    toMs,
  );
  const bucketMs = granularityMs[granularity];
  const earliestMs = (Math.ceil(toMs / bucketMs) - maxCountBuckets) * bucketMs;
  return { fromMs: Math.max(windowFromMs, earliestMs), toMs, windowFromMs, asOfMs };
}

/** Null on the oldest page. */
export function nextPageToken(
  { cursorKey }: Pick<HttpContext, "cursorKey">,
  params: CountsRequestParams,
  { windowFromMs, asOfMs }: CountsPage,
  pageFromMs: number,
): string | null {
  if (pageFromMs <= windowFromMs) return null;
  return encryptCursor(cursorKey, {
    ...makeScope(params),
    // A count continues at a time, not at a post.
    after: { platform: "x", id: 0n },
    fromMs: windowFromMs,
    toMs: pageFromMs,
    asOfMs,
    requestedBounds: params.bounds,
  });
}

/** No query has this prefix, so search cursors and count tokens are distinct. */
function makeScope({
  caller,
  platform,
  granularity,
  canonicalQuery,
}: CountsRequestParams): CursorScope {
  return {
    accountId: caller.accountId,
    platform,
    type: "social",
    method: "searchbyfullarchive",
    canonicalQuery: `\u0000counts by ${granularity}\u0000${canonicalQuery}`,
  };
}

function decryptToken(context: PageContext, params: CountsRequestParams, token: string) {
  try {
    return continueFrom(context, makeScope(params), token, params.bounds);
  } catch (error) {
    throw error instanceof EarshotError ? tokenError(error) : error;
  }
}

function tokenError({ code }: EarshotError): EarshotError {
  if (code === "cursor_invalid") {
    return problem("cursor_invalid", "invalid next_token", {
      hint: "send meta.next_token unchanged, or omit it for the newest page",
    });
  }
  return problem("cursor_mismatch", "the next_token belongs to another count", {
    hint: "send the platform, query, granularity, start_time and end_time of the page that returned it",
  });
}
