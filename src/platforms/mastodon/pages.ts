import type { FetchMethod } from "../methods.ts";
import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { followPage, profilePage } from "./account-pages.ts";
import type { PageRequest } from "./page-request.ts";
import { rebloggersPage, repliesPage, statusPage } from "./status-pages.ts";
import { accountTimeline, homeTimeline } from "./timeline-pages.ts";
import { trendsPage } from "./trends-page.ts";

export const mastodonPages: Readonly<
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
