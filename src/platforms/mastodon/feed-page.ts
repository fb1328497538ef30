import { asFields, list, string } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { SearchCall } from "../upstream.ts";
import type { InstanceInfo } from "./instance-info.ts";
import { nextPaging, type Paging } from "./link-paging.ts";
import { pagingAfterLast } from "./page-request.ts";
import type { Feed } from "./search-feeds.ts";
import { type ServerAccess, sendToServer } from "./server-access.ts";

/** `returnedCount`: how many of the page's statuses were already returned. */
export type FeedPosition = { paging: Paging | null; returnedCount: number };

type TimedStatus = { status: unknown; timeMs: number };

export type FeedPage = {
  position: FeedPosition;
  statuses: readonly TimedStatus[];
  /** All later pages are older. */
  oldestMs: number;
  next: Paging | null;
};

const maxStatuses = 40;
/** The server may return more statuses than requested. */
const maxPerPage = 200;
/** Search engines limit the results of one search. */
const maxOffset = 10_000;

type FeedContext = { access: ServerAccess; info: InstanceInfo; call: SearchCall };

export async function readFeed(
  feed: Feed,
  position: FeedPosition,
  context: FeedContext,
): Promise<FeedPage> {
  const { json, next } =
    feed.kind === "search"
      ? await searchPage(feed.text, position, context)
      : await timelinePage(feed, position, context);
  const sortedStatuses = list(json, maxPerPage)
    .map((status) => ({ status, timeMs: statusTime(status) }))
    .toSorted((a, b) => b.timeMs - a.timeMs);
  const oldestMs =
    sortedStatuses.findLast(({ timeMs }) => timeMs > 0)?.timeMs ?? Number.NEGATIVE_INFINITY;
  const { fromMs } = context.call;
  const isPastWindow = sortedStatuses.length === 0 || (fromMs !== null && oldestMs < fromMs);
  return {
    position,
    statuses: sortedStatuses.slice(position.returnedCount),
    oldestMs,
    next: isPastWindow ? null : next,
  };
}

/** A status without a time is sorted as the oldest. */
function statusTime(status: unknown): number {
  return parseIsoTime(string(asFields(status).created_at, 64) ?? "") ?? 0;
}

async function searchPage(
  text: string,
  { paging }: FeedPosition,
  { access, info, call }: FeedContext,
) {
  const offset = Number(paging?.offset ?? 0);
  const query = {
    type: "statuses",
    q: text,
    limit: maxStatuses,
    offset,
    max_id: idBefore(call.toMs, info, call.asOfMs),
  };
  const response = await sendToServer(
    access,
    { path: "/api/v2/search", query, bucket: "api" },
    "read:search",
  );
  // Muted accounts are removed, so a short page need not be the last.
  const hasMore = offset + 2 * maxStatuses <= maxOffset;
  const next = hasMore ? { offset: String(offset + maxStatuses) } : null;
  return { json: asFields(response?.json).statuses, next };
}

async function timelinePage(
  { tag, any, all, none }: Feed & { kind: "tag" },
  { paging }: FeedPosition,
  { access, info, call }: FeedContext,
) {
  const path = `/api/v1/timelines/tag/${encodeURIComponent(tag)}`;
  const query = {
    "any[]": any,
    "all[]": all,
    "none[]": none,
    limit: maxStatuses,
    max_id: idBefore(call.toMs, info, call.asOfMs),
    ...paging,
  };
  const bucket = query.max_id === undefined ? "api" : "paging";
  const response = await sendToServer(access, { path, query, bucket }, "read:statuses");
  if (response === null) return { json: [], next: null };
  const json = list(response.json, maxPerPage);
  const { headers } = response;
  const next = nextPaging(headers, path) ?? pagingAfterLast({ json, headers }, maxStatuses);
  return { json, next };
}

const hourMs = 3_600_000;

/** Mastodon ids start with the time; other software's have no known form. */
function idBefore(toMs: number, { isMastodon }: InstanceInfo, asOfMs: number): string | undefined {
  const untilMs = toMs + hourMs;
  if (!isMastodon || untilMs >= asOfMs || untilMs <= 0) return undefined;
  return String(BigInt(Math.ceil(untilMs)) << 16n);
}
