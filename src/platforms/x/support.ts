import type { Method } from "../methods.ts";
import type { MethodSupport } from "../upstream.ts";

const anyAccess = ["user", "app"] as const;

const ownCredentialNote =
  "Needs a credential of the calling account, unless `EARSHOT_X_REDISTRIBUTION_AGREED` is `true`.";

export const support: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: anyAccess,
    endpoint: "GET /2/tweets/search/recent",
    note: `The last 7 days, up to ten seconds ago. If X refuses it, or the window is longer, an app token uses /2/tweets/search/all. Operators that X lacks are applied afterwards, so more posts may be read and billed than returned. X does not find reposts by their words.`,
  },
  searchbyfullarchive: {
    access: anyAccess,
    endpoint: "GET /2/tweets/search/all",
    note: "Everything since 2006 with an app token, one request a second. User credentials and apps with lower access search the last 7 days only, and the answer is then incomplete.",
  },
  searchbyprofile: {
    access: anyAccess,
    endpoint: "GET /2/users/by/username/:username",
    note: "The profile with exactly that name.",
  },
  getbyid: { access: anyAccess, endpoint: "GET /2/tweets?ids=", note: "" },
  getreplies: {
    access: anyAccess,
    endpoint:
      "GET /2/tweets/search/recent, GET /2/tweets/search/all (conversation_id:, in_reply_to_tweet_id:)",
    note: "Uses search, because X has no list of replies: the whole conversation of a post that started one, the direct replies of any other. A user credential finds only replies of the last 7 days.",
  },
  getretweeters: {
    access: anyAccess,
    endpoint: "GET /2/tweets/:id/retweeted_by",
    note: "Each account is billed as a user read.",
  },
  gettweets: {
    access: anyAccess,
    endpoint: "GET /2/users/:id/tweets",
    note: "The latest 3,200. Reposted posts are read and billed too.",
  },
  getmedia: {
    access: anyAccess,
    endpoint: "GET /2/tweets/search/all (from: has:media)",
    note: "Uses search with an app token. Otherwise the latest 3,200 posts of the account are read and billed, and those with media returned.",
  },
  gethometweets: {
    access: ["user"],
    endpoint: "GET /2/users/:id/timelines/reverse_chronological",
    note: "The last 7 days, at most 3,200 posts.",
  },
  getforyoutweets: {
    access: [],
    closest: "None: X offers no such list to applications. The closest method is gethometweets.",
  },
  getprofilebyid: {
    access: anyAccess,
    endpoint: "GET /2/users/:id",
    note: "An app token returns public data.",
  },
  gettrends: {
    access: anyAccess,
    endpoint: "GET /2/trends/by/woeid/:woeid",
    note: `For the place \`EARSHOT_X_TRENDS_WOEID\`, 50 at most. ${ownCredentialNote}`,
  },
  getfollowing: {
    access: anyAccess,
    endpoint: "GET /2/users/:id/following",
    note: "A user credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getfollowers: {
    access: anyAccess,
    endpoint: "GET /2/users/:id/followers",
    note: "A user credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getspace: {
    access: anyAccess,
    endpoint: "GET /2/spaces/:id",
    note: `Live and scheduled Spaces. Hosts and speakers are billed as user reads. A user credential needs the scope space.read. ${ownCredentialNote}`,
  },
};
