import { list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { SpaceTarget } from "../target.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { spaceParameters } from "./fields.ts";
import { xName } from "./post-page.ts";
import { isXSpaceId, readSpace } from "./read-space.ts";
import { readTrend } from "./read-trend.ts";
import { requestX } from "./request.ts";

const maxInSpace = 16;

export async function fetchSpace({ id }: SpaceTarget, session: Session): Promise<UpstreamPage> {
  if (!isXSpaceId(id)) return absentPage;
  const { data } = await requestX(session, {
    path: `/2/spaces/${id}`,
    query: spaceParameters,
    bucket: "GET /2/spaces/:id",
    bill: { postReads: 1, userReads: maxInSpace },
    counted: "posts",
    scopes: ["space.read", "users.read", "tweet.read"],
  });
  if (data === null) return absentPage;
  const space = readSpace(data);
  const item: PageItem = space === null ? { kind: "unreadable" } : { kind: "space", space };
  return itemsPage([item], { name: xName, next: null, nowMs: session.nowMs });
}

const maxTrends = 50;

const trendsCut: UpstreamWarning = {
  code: "trends_cut",
  message: `${xName} returns at most ${maxTrends} trends`,
  isPartial: true,
};

/** `woeid`: 1 is the world. */
export async function trendsAt(
  woeid: number,
  limit: number,
  session: Session,
): Promise<UpstreamPage> {
  const { data, isAbsent } = await requestX(session, {
    path: `/2/trends/by/woeid/${woeid}`,
    query: {
      max_trends: Math.min(Math.max(limit, 1), maxTrends),
      "trend.fields": "trend_name,tweet_count",
    },
    bucket: "GET /2/trends/by/woeid/:woeid",
    bill: { requests: 1 },
    counted: "requests",
    scopes: ["tweet.read"],
  });
  if (isAbsent) return absentPage;
  const items = list(data, maxTrends).map((item, index): PageItem => {
    const trend = readTrend(item, index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const warnings = items.length >= maxTrends && limit > maxTrends ? [trendsCut] : [];
  return itemsPage(items, { name: xName, next: null, nowMs: session.nowMs, warnings });
}
