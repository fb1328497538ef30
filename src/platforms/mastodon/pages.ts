import type { FetchMethod } from "../methods.ts";
import type { UpstreamPage } from "../upstream.ts";
import { absentPage } from "../upstream-page.ts";
import { followPage, profilePage } from "./account-pages.ts";
import type { PageRequest } from "./page-request.ts";
import { rebloggersPage, repliesPage, statusPage } from "./status-pages.ts";
import { accountTimeline, homeTimeline } from "./timeline-pages.ts";
import { trendsPage } from "./trends-page.ts";

export const mastodonPages: Readonly<
  Record<FetchMethod, (requested: PageRequest) => Promise<UpstreamPage>>
> = {
  searchbyprofile: profilePage,
  getprofilebyid: profilePage,
  getbyid: statusPage,
  getreplies: repliesPage,
  getretweeters: rebloggersPage,
  gettweets: (requested) => accountTimeline(requested, {}),
  getmedia: (requested) => accountTimeline(requested, { only_media: true }),
  gethometweets: homeTimeline,
  getforyoutweets: async () => absentPage,
  gettrends: trendsPage,
  getfollowing: (requested) => followPage(requested, "following"),
  getfollowers: (requested) => followPage(requested, "followers"),
  getspace: async () => absentPage,
};
