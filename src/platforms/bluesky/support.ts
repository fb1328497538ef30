import type { Method } from "../methods.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";

const everyone: readonly AccessKind[] = ["user", "public"];
const withAccount: readonly AccessKind[] = ["user"];

const searchNote =
  "Only with `EARSHOT_BLUESKY_SEARCH` and a credential. Results are never complete; use the archive of the stream instead.";

export const blueskySupport: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: withAccount,
    endpoint: "app.bsky.feed.searchPosts",
    note: searchNote,
  },
  searchbyfullarchive: {
    access: withAccount,
    endpoint: "app.bsky.feed.searchPosts",
    note: searchNote,
  },
  searchbyprofile: { access: everyone, endpoint: "app.bsky.actor.getProfile", note: "" },
  getbyid: { access: everyone, endpoint: "app.bsky.feed.getPosts", note: "" },
  getreplies: {
    access: everyone,
    endpoint: "app.bsky.feed.getPostThread",
    note: "With replies to replies, each after its parent, oldest first. The network truncates very large threads.",
  },
  getretweeters: { access: everyone, endpoint: "app.bsky.feed.getRepostedBy", note: "" },
  gettweets: {
    access: everyone,
    endpoint: "app.bsky.feed.getAuthorFeed",
    note: "With replies and reposts.",
  },
  getmedia: {
    access: everyone,
    endpoint: "app.bsky.feed.getAuthorFeed",
    note: "The account's own posts with pictures or videos.",
  },
  gethometweets: { access: withAccount, endpoint: "app.bsky.feed.getTimeline", note: "" },
  getforyoutweets: {
    access: withAccount,
    endpoint: "app.bsky.feed.getFeed",
    note: "The feed in `EARSHOT_BLUESKY_FEED`, as generated for the account.",
  },
  getprofilebyid: { access: everyone, endpoint: "app.bsky.actor.getProfile", note: "" },
  gettrends: {
    access: everyone,
    endpoint: "app.bsky.unspecced.getTrends",
    note: "At most 25. Bluesky may change this endpoint at any time.",
  },
  getfollowing: { access: everyone, endpoint: "app.bsky.graph.getFollows", note: "" },
  getfollowers: { access: everyone, endpoint: "app.bsky.graph.getFollowers", note: "" },
  getspace: {
    access: [],
    closest: "None: Bluesky has no live audio.",
  },
};
