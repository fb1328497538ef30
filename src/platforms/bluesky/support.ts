import type { Method } from "../methods.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";

const anyAccess: readonly AccessKind[] = ["user", "public"];
const userAccess: readonly AccessKind[] = ["user"];

const searchNote =
  "Only with `EARSHOT_BLUESKY_SEARCH` and a credential. Results are never complete; ingest the live stream and search the archive instead.";

export const blueskySupport: Readonly<Record<Method, MethodSupport>> = {
  searchbyquery: {
    access: userAccess,
    endpoint: "app.bsky.feed.searchPosts",
    note: searchNote,
  },
  searchbyfullarchive: {
    access: userAccess,
    endpoint: "app.bsky.feed.searchPosts",
    note: searchNote,
  },
  searchbyprofile: { access: anyAccess, endpoint: "app.bsky.actor.getProfile", note: "" },
  getbyid: { access: anyAccess, endpoint: "app.bsky.feed.getPosts", note: "" },
  getreplies: {
    access: anyAccess,
    endpoint: "app.bsky.feed.getPostThread",
    note: "With replies to replies, each after its parent, oldest first. Bluesky truncates very large threads.",
  },
  getretweeters: { access: anyAccess, endpoint: "app.bsky.feed.getRepostedBy", note: "" },
  gettweets: {
    access: anyAccess,
    endpoint: "app.bsky.feed.getAuthorFeed",
    note: "With replies and reposts.",
  },
  getmedia: {
    access: anyAccess,
    endpoint: "app.bsky.feed.getAuthorFeed",
    note: "The account's own posts with pictures or videos.",
  },
  gethometweets: { access: userAccess, endpoint: "app.bsky.feed.getTimeline", note: "" },
  getforyoutweets: {
    access: userAccess,
    endpoint: "app.bsky.feed.getFeed",
    note: "The feed in `EARSHOT_BLUESKY_FEED`, as generated for the account.",
  },
  getprofilebyid: { access: anyAccess, endpoint: "app.bsky.actor.getProfile", note: "" },
  gettrends: {
    access: anyAccess,
    endpoint: "app.bsky.unspecced.getTrends",
    note: "At most 25. Bluesky may change this endpoint at any time.",
  },
  getfollowing: { access: anyAccess, endpoint: "app.bsky.graph.getFollows", note: "" },
  getfollowers: { access: anyAccess, endpoint: "app.bsky.graph.getFollowers", note: "" },
  getspace: {
    access: [],
    closest: "None: Bluesky has no live audio.",
  },
};
