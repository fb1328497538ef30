import type { Headers } from "undici";
import type { FetchMethod } from "../methods.ts";
import { parseIsoTime } from "../time.ts";
import type { Limit, Upstream, UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { followPage, profilePage } from "./account-pages.ts";
import { createInstanceInfoCache } from "./instance-info.ts";
import { namedServer } from "./named-server.ts";
import type { PageRequest } from "./page-request.ts";
import { createMastodonSearch } from "./search.ts";
import { rebloggersPage, repliesPage, statusPage } from "./status-pages.ts";
import { mastodonSupport } from "./support.ts";
import { accountTimeline, homeTimeline } from "./timeline-pages.ts";
import { trendsPage } from "./trends-page.ts";

/** Uses the credential's server, the target's, or `instance`. */
export function createMastodonUpstream({ instance }: { instance: string | null }): Upstream {
  return {
    platform: "mastodon",
    support: mastodonSupport,
    page: async (call, session) => await mastodonPages[call.method]({ call, session }),
    search: createMastodonSearch(createInstanceInfoCache()),
    publicBaseUrl: instance === null ? null : new URL(instance).origin,
    publicOrigin: (target) => {
      const host = namedServer(target);
      return host === null ? null : `https://${host}`;
    },
    readLimit: mastodonLimit,
    computePrice: null,
    displayScope: () => "everything",
  };
}

const mastodonPages: Readonly<
  Record<FetchMethod, (request: PageRequest) => Promise<UpstreamPage>>
> = {
  searchbyprofile: profilePage,
  getprofilebyid: profilePage,
  getbyid: statusPage,
  getreplies: repliesPage,
  getretweeters: rebloggersPage,
  gettweets: (request) => accountTimeline(request, {}),
  getmedia: (request) => accountTimeline(request, { only_media: true }),
  gethometweets: homeTimeline,
  getforyoutweets: async () => absentPage,
  gettrends: trendsPage,
  getfollowing: (request) => followPage(request, "following"),
  getfollowers: (request) => followPage(request, "followers"),
  getspace: async () => absentPage,
};

/** Headers describe the bucket closest to its limit. Some servers send the reset as Unix time. */
export function mastodonLimit(headers: Headers): Limit | null {
  const remaining = headers.get("x-ratelimit-remaining");
  const reset = headers.get("x-ratelimit-reset");
  if (remaining === null || reset === null || !/^\d{1,9}$/.test(remaining)) return null;
  const resetMs = /^\d{9,11}$/.test(reset) ? Number(reset) * 1_000 : parseIsoTime(reset);
  return resetMs === null ? null : { remaining: Number(remaining), resetMs };
}
