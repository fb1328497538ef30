import type { Method } from "../methods.ts";
import type { MethodSupport } from "../upstream.ts";

const everyone = ["user", "app"] as const;

const authors =
  "Each post read is billed. X's price list does not say whether the authors included with posts are billed too; they are counted as if they were.";

const ownOnly =
  "Needs a credential of the calling account, unless `EARSHOT_X_REDISTRIBUTION_AGREED` is `true`.";

export const support: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: everyone,
    endpoint: "GET /2/tweets/search/recent",
    note: `The last 7 days, up to ten seconds ago. If X refuses it, or the window is longer, an app token uses /2/tweets/search/all. Operators that X lacks are applied afterwards, so more posts may be read than returned. X finds no reposts by words. ${authors}`,
  },
  searchbyfullarchive: {
    access: everyone,
    endpoint: "GET /2/tweets/search/all",
    note: "Everything since 2006 with an app token, one request a second. Windows within the last 7 days use /2/tweets/search/recent; so do user credentials and apps with lower access for that part of a longer window, and the answer is then incomplete.",
  },
  searchbyprofile: {
    access: everyone,
    endpoint: "GET /2/users/by/username/:username",
    note: "The profile with exactly that name.",
  },
  getbyid: { access: everyone, endpoint: "GET /2/tweets?ids=", note: "" },
  getreplies: {
    access: everyone,
    endpoint:
      "GET /2/tweets/search/recent, GET /2/tweets/search/all (conversation_id:, in_reply_to_tweet_id:)",
    note: "X has no list of replies, so they are searched: the whole conversation of a post that started one, the direct replies of any other. A user credential finds those of the last 7 days; the answer is incomplete if the post is older.",
  },
  getretweeters: {
    access: everyone,
    endpoint: "GET /2/tweets/:id/retweeted_by",
    note: "Each account is billed as a user read.",
  },
  gettweets: {
    access: everyone,
    endpoint: "GET /2/users/:id/tweets",
    note: "X returns the latest 3,200 of an account; the answer is incomplete if it has more. Reposted posts are read and billed too.",
  },
  getmedia: {
    access: everyone,
    endpoint: "GET /2/tweets/search/all (from: has:media)",
    note: "X has no list of media. An app token searches for them; with a user credential, or if X refuses the search, the latest 3,200 posts of the account are read (/2/users/:id/tweets) and billed, and those with media returned.",
  },
  gethometweets: {
    access: ["user"],
    endpoint: "GET /2/users/:id/timelines/reverse_chronological",
    note: "The last 7 days, at most 3,200 posts; the last page is incomplete, as X returns nothing older.",
  },
  getforyoutweets: {
    access: [],
    closest:
      "X offers no such list to applications; gethometweets returns posts of followed accounts.",
  },
  getprofilebyid: {
    access: everyone,
    endpoint: "GET /2/users/:id",
    note: "An app token returns public data.",
  },
  gettrends: {
    access: everyone,
    endpoint: "GET /2/trends/by/woeid/:woeid",
    note: `Those of the place \`EARSHOT_X_TRENDS_WOEID\`, 50 at most. ${ownOnly}`,
  },
  getfollowing: {
    access: everyone,
    endpoint: "GET /2/users/:id/following",
    note: "A user credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getfollowers: {
    access: everyone,
    endpoint: "GET /2/users/:id/followers",
    note: "A user credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getspace: {
    access: everyone,
    endpoint: "GET /2/spaces/:id",
    note: `Live and scheduled ones; X deletes a Space when it ends. Hosts and speakers count as user reads. A user credential needs the scope space.read. ${ownOnly}`,
  },
};
