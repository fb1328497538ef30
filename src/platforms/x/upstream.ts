import type { Headers } from "undici";
import type { FetchMethod, Method } from "../methods.ts";
import type { Bill, Session } from "../session.ts";
import type { Target } from "../target.ts";
import {
  type AccessKind,
  type Limit,
  onlyRoute,
  type PageCall,
  type Route,
  type Upstream,
  type UpstreamPage,
} from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { isSearchCursor, searchMedia, searchReplies } from "./fetch-by-search.ts";
import {
  fetchHomePosts,
  fetchPostById,
  fetchTimelineMedia,
  fetchUserPosts,
} from "./fetch-posts.ts";
import { fetchSpace, fetchTrends } from "./fetch-spaces-and-trends.ts";
import { fetchFollows, fetchRetweeters, fetchUserProfile } from "./fetch-users.ts";
import { xSearch } from "./search.ts";
import { listSearchRoutes, searchRoutes } from "./search-request.ts";
import { support } from "./support.ts";

export type XSettings = {
  apiUrl: string;
  trendsWoeid: number;
  /** Whether X permits showing callers what the deployment's credentials fetch. */
  isRedistributionAgreed: boolean;
};

/** Their IDs alone say nothing: trends have none, and a Space's is in the request. */
const methodsWithoutIds: readonly Method[] = ["gettrends", "getspace"];

export function createXUpstream(settings: XSettings): Upstream {
  const { trendsWoeid, isRedistributionAgreed } = settings;
  return {
    platform: "x",
    support,
    page: (call, session) => fetchPage(call, session, trendsWoeid),
    routes: fetchRoutes,
    search: xSearch,
    publicBaseUrl: null,
    readLimit: xLimit,
    intervalMs,
    computePrice: billPrice,
    ownMethods: isRedistributionAgreed ? [] : methodsWithoutIds,
    displayScope: (owner) => (owner === "account" || isRedistributionAgreed ? "everything" : "ids"),
  };
}

async function fetchPage(
  call: PageCall,
  session: Session,
  trendsWoeid: number,
): Promise<UpstreamPage> {
  const { method, target, limit } = call;
  const user = narrowTarget(target, "user");
  const post = narrowTarget(target, "post");
  const space = narrowTarget(target, "space");
  switch (method) {
    case "getbyid":
      return post === null ? absentPage : await fetchPostById(post, session);
    case "getreplies":
      return post === null ? absentPage : await searchReplies(post, call, session);
    case "getretweeters":
      return post === null ? absentPage : await fetchRetweeters(post, call, session);
    case "gettweets":
      return user === null ? absentPage : await fetchUserPosts(user, call, session);
    case "getmedia": {
      if (user === null) return absentPage;
      const { cursor, route } = call;
      const isSearched = cursor === null ? route !== timelineRoute.name : isSearchCursor(cursor);
      return await (isSearched ? searchMedia : fetchTimelineMedia)(user, call, session);
    }
    case "gethometweets":
      return await fetchHomePosts(call, session);
    case "searchbyprofile":
    case "getprofilebyid":
      return user === null ? absentPage : await fetchUserProfile(user, session);
    case "getfollowing":
      return user === null ? absentPage : await fetchFollows(user, "following", call, session);
    case "getfollowers":
      return user === null ? absentPage : await fetchFollows(user, "followers", call, session);
    case "gettrends":
      return await fetchTrends(trendsWoeid, limit, session);
    case "getspace":
      return space === null ? absentPage : await fetchSpace(space, session);
    case "getforyoutweets":
      return absentPage;
  }
}

function narrowTarget<Kind extends Target["kind"]>(
  target: Target | null,
  kind: Kind,
): Extract<Target, { kind: Kind }> | null {
  return target !== null && target.kind === kind
    ? (target as Extract<Target, { kind: Kind }>)
    : null;
}

/** The route also pays for posts without media. */
const timelineRoute: Route = { name: "timeline", reachMs: null, cost: 3 };

function fetchRoutes(method: FetchMethod, access: AccessKind): readonly Route[] {
  if (method === "getreplies") return listSearchRoutes(access);
  if (method !== "getmedia") return onlyRoute;
  return access === "app" ? [searchRoutes.all, timelineRoute] : [timelineRoute];
}

/** Reads the reset in Unix seconds. Excludes an application's monthly cap. */
export function xLimit(headers: Headers): Limit | null {
  const remaining = wholeNumber(headers.get("x-rate-limit-remaining"));
  const resetSeconds = wholeNumber(headers.get("x-rate-limit-reset"));
  if (remaining === null || resetSeconds === null) return null;
  return { remaining, resetMs: resetSeconds * 1_000 };
}

/** Full-archive search: one request per second, which its headers omit. */
const intervalMs = (bucket: string): number => (bucket === "GET /2/tweets/search/all" ? 1_000 : 0);

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;

/**
 * In millionths of a dollar: https://docs.x.com/x-api/getting-started/pricing as of 2026-08-22,
 * "Credit consumption details".
 */
const postReadMicroUsd = 5_000;
const userReadMicroUsd = 10_000;
const requestMicroUsd = 10_000;

/**
 * An upper bound: X bills a post or account once a day (UTC), and less for resources of the
 * application's owner.
 */
export function billPrice({ postReads = 0, userReads = 0, requests = 0 }: Bill): number {
  return postReads * postReadMicroUsd + userReads * userReadMicroUsd + requests * requestMicroUsd;
}
