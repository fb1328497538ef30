import { list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { SpaceTarget } from "../target.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, pageOf, type SentItem } from "../upstream-page.ts";
import { spaceParameters } from "./fields.ts";
import { name } from "./post-page.ts";
import { isSpaceId, readSpace } from "./read-space.ts";
import { readTrend } from "./read-trend.ts";
import { request } from "./request.ts";

/** Hosts and speakers; X may bill each as a user read. */
const mostInSpace = 16;

export async function spaceOf({ id }: SpaceTarget, session: Session): Promise<UpstreamPage> {
  if (!isSpaceId(id)) return absentPage;
  const { data } = await request(session, {
    path: `/2/spaces/${id}`,
    query: spaceParameters,
    bucket: "GET /2/spaces/:id",
    bill: { postReads: 1, userReads: mostInSpace },
    counted: "posts",
    scopes: ["space.read", "users.read", "tweet.read"],
  });
  if (data === null) return absentPage;
  const space = readSpace(data);
  const sent: SentItem = space === null ? { kind: "unreadable" } : { kind: "space", space };
  return pageOf([sent], { name, next: null, nowMs: session.nowMs });
}

const mostTrends = 50;

const trendsCut: UpstreamWarning = {
  code: "trends_cut",
  message: `${name} gives ${mostTrends} trends at most`,
  isPartial: true,
};

/** `woeid` 1 is the world. */
export async function trendsAt(
  position: number,
  limit: number,
  session: Session,
): Promise<UpstreamPage> {
  const { data, isAbsent } = await request(session, {
    path: `/2/trends/by/woeid/${position}`,
    query: {
      max_trends: Math.min(Math.max(limit, 1), mostTrends),
      "trend.fields": "trend_name,tweet_count",
    },
    bucket: "GET /2/trends/by/woeid/:woeid",
    bill: { requests: 1 },
    counted: "requests",
    scopes: ["tweet.read"],
  });
  if (isAbsent) return absentPage;
  const sent = list(data, mostTrends).map((item, index): SentItem => {
    const trend = readTrend(item, index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const remarks = sent.length >= mostTrends && limit > mostTrends ? [trendsCut] : [];
  return pageOf(sent, { name, next: null, nowMs: session.nowMs, remarks });
}
