import type { Method } from "../methods.ts";
import type { Session } from "../session.ts";
import type { Target } from "../target.ts";
import type { PageCall, Upstream, UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { fetchSpace, trendsAt } from "./fetch-others.ts";
import { homePosts, mediaInTimeline, postById, userPosts } from "./fetch-posts.ts";
import { fetchRoutes, timelineRoute } from "./fetch-routes.ts";
import { isSearchCursor, mediaBySearch, searchReplies } from "./fetch-searched.ts";
import { fetchFollows, fetchRetweeters, readUserProfile } from "./fetch-users.ts";
import { intervalMs, xLimit } from "./limits.ts";
import { billPrice } from "./prices.ts";
import { xSearch } from "./search.ts";
import { support } from "./support.ts";

export type XSettings = {
  apiUrl: string;
  trendsWoeid: number;
  /** Whether X permits showing callers what the deployment's credentials fetch. */
  isRedistributionAgreed: boolean;
};

/** Their IDs alone say nothing: trends have none, a Space's is in the request. */
const withoutIds: readonly Method[] = ["gettrends", "getspace"];

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
    ownMethods: isRedistributionAgreed ? [] : withoutIds,
    displayScope: (owner) => (owner === "account" || isRedistributionAgreed ? "everything" : "ids"),
  };
}

async function fetchPage(
  call: PageCall,
  session: Session,
  trendsWoeid: number,
): Promise<UpstreamPage> {
  const { method, target, limit } = call;
  const user = ofKind(target, "user");
  const post = ofKind(target, "post");
  const space = ofKind(target, "space");
  switch (method) {
    case "getbyid":
      return post === null ? absentPage : await postById(post, session);
    case "getreplies":
      return post === null ? absentPage : await searchReplies(post, call, session);
    case "getretweeters":
      return post === null ? absentPage : await fetchRetweeters(post, call, session);
    case "gettweets":
      return user === null ? absentPage : await userPosts(user, call, session);
    case "getmedia": {
      if (user === null) return absentPage;
      const { cursor, route } = call;
      const isSearched = cursor === null ? route !== timelineRoute.name : isSearchCursor(cursor);
      return await (isSearched ? mediaBySearch : mediaInTimeline)(user, call, session);
    }
    case "gethometweets":
      return await homePosts(call, session);
    case "searchbyprofile":
    case "getprofilebyid":
      return user === null ? absentPage : await readUserProfile(user, session);
    case "getfollowing":
      return user === null ? absentPage : await fetchFollows(user, "following", call, session);
    case "getfollowers":
      return user === null ? absentPage : await fetchFollows(user, "followers", call, session);
    case "gettrends":
      return await trendsAt(trendsWoeid, limit, session);
    case "getspace":
      return space === null ? absentPage : await fetchSpace(space, session);
    case "getforyoutweets":
      return absentPage;
  }
}

function ofKind<Kind extends Target["kind"]>(
  target: Target | null,
  kind: Kind,
): Extract<Target, { kind: Kind }> | null {
  return target !== null && target.kind === kind
    ? (target as Extract<Target, { kind: Kind }>)
    : null;
}
