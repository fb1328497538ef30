import type { Space, Trend } from "../../posts/profile.ts";
import { asFields, list } from "../fields.ts";
import type { Session } from "../session.ts";
import type { SpaceTarget } from "../target.ts";
import type { UpstreamPage, UpstreamWarning } from "../upstream.ts";
import { absentPage, itemsPage, type PageItem } from "../upstream-page.ts";
import { spaceParameters } from "./fields.ts";
import { firstPresent, nonEmptyText, readCount, readIdText } from "./json.ts";
import { xName } from "./post-page.ts";
import { requestX } from "./request.ts";

const maxSpaceUsers = 16;

export async function fetchSpace({ id }: SpaceTarget, session: Session): Promise<UpstreamPage> {
  if (!isXSpaceId(id)) return absentPage;
  const { data } = await requestX(session, {
    path: `/2/spaces/${id}`,
    query: spaceParameters,
    bucket: "GET /2/spaces/:id",
    bill: { postReads: 1, userReads: maxSpaceUsers },
    billedAs: "posts",
    scopes: ["space.read", "users.read", "tweet.read"],
  });
  if (data === null) return absentPage;
  const space = readSpace(data);
  const item: PageItem = space === null ? { kind: "unreadable" } : { kind: "space", space };
  return itemsPage([item], { name: xName, next: null, nowMs: session.nowMs });
}

const maxTrends = 50;

const trendsTruncated: UpstreamWarning = {
  code: "trends_cut",
  message: `${xName} returns at most ${maxTrends} trends`,
  isPartial: true,
};

/** `woeid` is a place; 1 is the world. */
export async function fetchTrends(
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
    billedAs: "requests",
    scopes: ["tweet.read"],
  });
  if (isAbsent) return absentPage;
  const items = list(data, maxTrends).map((item, index): PageItem => {
    const trend = readTrend(item, index + 1);
    return trend === null ? { kind: "unreadable" } : { kind: "trend", trend };
  });
  const warnings = items.length >= maxTrends && limit > maxTrends ? [trendsTruncated] : [];
  return itemsPage(items, { name: xName, next: null, nowMs: session.nowMs, warnings });
}

const isXSpaceId = (text: string): boolean => /^[A-Za-z0-9]{1,13}$/.test(text);

export function readSpace(value: unknown): Space | null {
  const fields = asFields(value);
  if (typeof fields.id !== "string" || !isXSpaceId(fields.id)) return null;
  return {
    platform: "x",
    id: fields.id,
    title: nonEmptyText(fields.title, 1_000),
    state: nonEmptyText(fields.state, 40),
    url: `https://x.com/i/spaces/${fields.id}`,
    hostIds: readIds(fields.host_ids),
    speakerIds: readIds(fields.speaker_ids),
    participants: readCount(fields.participant_count),
    lang: nonEmptyText(fields.lang, 35),
    createdAt: nonEmptyText(fields.created_at, 40),
    scheduledAt: nonEmptyText(fields.scheduled_start, 40),
    startedAt: nonEmptyText(fields.started_at, 40),
    endedAt: nonEmptyText(fields.ended_at, 40),
  };
}

const readIds = (value: unknown): string[] =>
  list(value, 1_000)
    .map(readIdText)
    .filter((id) => id !== null);

export function readTrend(value: unknown, rank: number): Trend | null {
  const name = nonEmptyText(asFields(value).trend_name, 500);
  if (name === null) return null;
  return {
    platform: "x",
    rank,
    name,
    url: `https://x.com/search?q=${encodeURIComponent(name)}`,
    posts: readCount(firstPresent(value, "tweet_count", "post_count")),
    category: null,
    startedAt: null,
  };
}
