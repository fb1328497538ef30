import type { Method } from "../methods.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";

const everyone: readonly AccessKind[] = ["user", "app", "public"];
const withAccount: readonly AccessKind[] = ["user"];

const searchNote =
  "With a user token, on a server that has full-text search: public posts of authors who agreed to be searched, as far as they have reached that server, so what it " +
  "gives promises not to be everything. Without one, queries that name a hashtag are asked of the hashtag's timeline.";
const foreign =
  "A server tells of other servers' accounts what has reached it; where it knows nothing, the account's own server is asked openly.";

export const mastodonSupport: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: everyone,
    endpoint: "GET /api/v2/search, GET /api/v1/timelines/tag/:hashtag",
    note: searchNote,
  },
  searchbyfullarchive: {
    access: everyone,
    endpoint: "GET /api/v2/search, GET /api/v1/timelines/tag/:hashtag",
    note: searchNote,
  },
  searchbyprofile: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/lookup",
    note: "With a user token the server also looks on other servers (GET /api/v2/search). Elsewhere the account's own server is asked openly.",
  },
  getbyid: {
    access: everyone,
    endpoint: "GET /api/v1/statuses/:id",
    note: "By its id on the server that is asked, or by its address: with a user token that server fetches it from the other one (GET /api/v2/search), else the other one is asked openly. Public and unlisted posts.",
  },
  getreplies: {
    access: everyone,
    endpoint: "GET /api/v1/statuses/:id/context",
    note: "Answers to the post and answers to those. Without a user token 60 at most.",
  },
  getretweeters: {
    access: everyone,
    endpoint: "GET /api/v1/statuses/:id/reblogged_by",
    note: "",
  },
  gettweets: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/:id/statuses",
    note: `With replies and boosts. ${foreign}`,
  },
  getmedia: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/:id/statuses?only_media=true",
    note: foreign,
  },
  gethometweets: { access: withAccount, endpoint: "GET /api/v1/timelines/home", note: "" },
  getforyoutweets: {
    access: [],
    closest:
      "None: Mastodon chooses nothing for anybody. Closest are the posts that are popular on a server (GET /api/v1/trends/statuses), the same for everyone.",
  },
  getprofilebyid: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/:id",
    note: "An id counts on one server: `<id>@<host>`; a bare one is taken for one of the server that is asked.",
  },
  gettrends: {
    access: everyone,
    endpoint: "GET /api/v1/trends/tags",
    note: "Hashtags, as ranked by one server, with how often they were used in the last days.",
  },
  getfollowing: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/:id/following",
    note: "Empty for accounts that hide it. Of other servers' accounts, what the server that is asked knows.",
  },
  getfollowers: {
    access: everyone,
    endpoint: "GET /api/v1/accounts/:id/followers",
    note: "Empty for accounts that hide it. Of other servers' accounts, what the server that is asked knows.",
  },
  getspace: { access: [], closest: "None: Mastodon has no live audio." },
};
