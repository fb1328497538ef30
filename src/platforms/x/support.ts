import type { Method } from "../methods.ts";
import type { MethodSupport } from "../upstream.ts";

const everyone = ["user", "app"] as const;

const authors =
  "Each post read is billed. X's price list does not say whether authors that are sent beside posts are billed too; they are counted as if they were.";

const ownOnly =
  "Needs a credential of the calling account, unless `EARSHOT_X_REDISTRIBUTION_AGREED` is `true`.";

export const support: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: everyone,
    endpoint: "GET /2/tweets/search/recent",
    note: `The last 7 days, up to ten seconds ago. Where X refuses it, or the window is longer, an application's token searches by /2/tweets/search/all. What X's own operators cannot say is checked afterwards, so more posts may be read than are shown. X finds no reposts by words. ${authors}`,
  },
  searchbyfullarchive: {
    access: everyone,
    endpoint: "GET /2/tweets/search/all",
    note: "Everything since 2006 with an application's token, one request a second. A window within the last 7 days is searched by /2/tweets/search/recent, and so is what a user's credential, or an application of a lower level of access, reaches of a longer one; the answer is incomplete then.",
  },
  searchbyprofile: {
    access: everyone,
    endpoint: "GET /2/users/by/username/:username",
    note: "The profile of exactly that name.",
  },
  getbyid: { access: everyone, endpoint: "GET /2/tweets?ids=", note: "" },
  getreplies: {
    access: everyone,
    endpoint:
      "GET /2/tweets/search/recent, GET /2/tweets/search/all (conversation_id:, in_reply_to_tweet_id:)",
    note: "X has no list of replies, so they are searched: the whole conversation of a post that began one, the direct replies of any other. With a user's credential those of the last 7 days are found, and the answer is incomplete where the post is older.",
  },
  getretweeters: {
    access: everyone,
    endpoint: "GET /2/tweets/:id/retweeted_by",
    note: "Each account is billed as a user read.",
  },
  gettweets: {
    access: everyone,
    endpoint: "GET /2/users/:id/tweets",
    note: "X shows the latest 3,200 of an account; the answer is incomplete where it has more. What an account reposted is read and billed beside it.",
  },
  getmedia: {
    access: everyone,
    endpoint: "GET /2/tweets/search/all (from: has:media)",
    note: "X has no list of media. An application's token searches for them; with a user's credential, or where X refuses the search, the latest 3,200 posts of the account are read (/2/users/:id/tweets), all billed, and those with media shown.",
  },
  gethometweets: {
    access: ["user"],
    endpoint: "GET /2/users/:id/timelines/reverse_chronological",
    note: "The last 7 days, at most 3,200 posts; the last page is incomplete, as X shows nothing older.",
  },
  getforyoutweets: {
    access: [],
    closest:
      "X offers no such list to applications; gethometweets gives the posts of those whom the account follows.",
  },
  getprofilebyid: {
    access: everyone,
    endpoint: "GET /2/users/:id",
    note: "An application's token shows what is public.",
  },
  gettrends: {
    access: everyone,
    endpoint: "GET /2/trends/by/woeid/:woeid",
    note: `Those of the place \`EARSHOT_X_TRENDS_WOEID\`, 50 at most. ${ownOnly}`,
  },
  getfollowing: {
    access: everyone,
    endpoint: "GET /2/users/:id/following",
    note: "A user's credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getfollowers: {
    access: everyone,
    endpoint: "GET /2/users/:id/followers",
    note: "A user's credential needs the scope follows.read. Each account is billed as a user read.",
  },
  getspace: {
    access: everyone,
    endpoint: "GET /2/spaces/:id",
    note: `Live and scheduled ones; X forgets a Space when it has ended. Hosts and speakers are counted as user reads. A user's credential needs the scope space.read. ${ownOnly}`,
  },
};
