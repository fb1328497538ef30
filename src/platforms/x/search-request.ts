import { isoTime } from "../../lib/iso-time.ts";
import { liveWindowMs } from "../methods.ts";
import type { Session } from "../session.ts";
import type { AccessKind, Route, UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { postParameters } from "./fields.ts";
import { readPosts, xPostPage } from "./post-page.ts";
import { requestX } from "./request.ts";

export const searches = {
  recent: {
    path: "/2/tweets/search/recent",
    maxResults: 100,
    maxCharacters: 512,
  },
  all: {
    path: "/2/tweets/search/all",
    maxResults: 500,
    maxCharacters: 1_024,
  },
} as const;
export type SearchName = keyof typeof searches;

const minResults = 10;

/** Full-archive search requires higher access. */
export const searchRoutes: Readonly<Record<SearchName, Route>> = {
  recent: { name: "recent", reachMs: liveWindowMs, cost: 1 },
  all: { name: "all", reachMs: null, cost: 2 },
};

export const listSearchRoutes = (access: AccessKind): readonly Route[] =>
  access === "app" ? [searchRoutes.recent, searchRoutes.all] : [searchRoutes.recent];

export const searchName = (route: string | undefined): SearchName =>
  route === "all" ? "all" : "recent";

export type XSearchRequest = {
  search: SearchName;
  query: string;
  fromMs: number | null;
  toMs: number;
  token: string | null;
  limit: number;
};

export async function requestSearch(
  { search, query, fromMs, toMs, token, limit }: XSearchRequest,
  session: Session,
): Promise<UpstreamPage> {
  const { path, maxResults } = searches[search];
  const size = Math.min(Math.max(limit, minResults), maxResults);
  const response = await requestX(session, {
    path,
    query: {
      query,
      max_results: size,
      sort_order: "recency",
      start_time: fromMs === null ? undefined : timeText(fromMs),
      end_time: timeText(toMs),
      next_token: token ?? undefined,
      ...postParameters,
    },
    bucket: `GET ${path}`,
    bill: { postReads: size, userReads: size },
    billedAs: "posts",
    scopes: ["tweet.read", "users.read"],
  });
  if (response.isAbsent) return absentPage;
  const { posts, omitted } = readPosts(response);
  const { next, warnings, receivedMs } = response;
  const page = xPostPage(posts, omitted, { next, nowMs: session.nowMs, warnings });
  return fromMs === null ? { ...page, sinceMs: receivedMs - liveWindowMs } : page;
}

const timeText = (ms: number): string => `${isoTime(ms).slice(0, 19)}Z`;
