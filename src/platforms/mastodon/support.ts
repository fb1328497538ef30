import type { Method } from "../methods.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";

const anyAccess: readonly AccessKind[] = ["user", "app", "public"];
const userAccess: readonly AccessKind[] = ["user"];

const searchNote =
  "With a user token, on a server with full-text search: posts that have reached that server, by authors who allow indexing, so results are never complete. " +
  "Without one, only queries with a hashtag.";
const remoteNote =
  "For accounts on other servers, what has reached the queried one; if that is nothing, the account's own server is queried.";

export const mastodonSupport: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: anyAccess,
    endpoint: "GET /api/v2/search, GET /api/v1/timelines/tag/:hashtag",
    note: searchNote,
  },
  searchbyfullarchive: {
    access: anyAccess,
    endpoint: "GET /api/v2/search, GET /api/v1/timelines/tag/:hashtag",
    note: searchNote,
  },
  searchbyprofile: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/lookup",
    note: "With a user token the server also searches other servers. Otherwise the account's own server is queried.",
  },
  getbyid: {
    access: anyAccess,
    endpoint: "GET /api/v1/statuses/:id",
    note: "By its id on the queried server, or by its URL on any. Public and unlisted posts.",
  },
  getreplies: {
    access: anyAccess,
    endpoint: "GET /api/v1/statuses/:id/context",
    note: "With replies to replies. At most 60 without a user token.",
  },
  getretweeters: {
    access: anyAccess,
    endpoint: "GET /api/v1/statuses/:id/reblogged_by",
    note: "",
  },
  gettweets: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/:id/statuses",
    note: `With replies and boosts. ${remoteNote}`,
  },
  getmedia: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/:id/statuses?only_media=true",
    note: "For accounts on other servers, as for `gettweets`.",
  },
  gethometweets: { access: userAccess, endpoint: "GET /api/v1/timelines/home", note: "" },
  getforyoutweets: {
    access: [],
    closest:
      "None: Mastodon has no personal recommendations. The closest equivalent is a server's popular posts.",
  },
  getprofilebyid: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/:id",
    note: "An id is valid on one server: `<id>@<host>`; an id without a host belongs to the queried server.",
  },
  gettrends: {
    access: anyAccess,
    endpoint: "GET /api/v1/trends/tags",
    note: "Hashtags, ranked by one server.",
  },
  getfollowing: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/:id/following",
    note: "Empty for accounts that hide the list. Contains what the queried server knows.",
  },
  getfollowers: {
    access: anyAccess,
    endpoint: "GET /api/v1/accounts/:id/followers",
    note: "Empty for accounts that hide the list. Contains what the queried server knows.",
  },
  getspace: { access: [], closest: "None: Mastodon has no live audio." },
};
