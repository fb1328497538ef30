import type { Method } from "../methods.ts";
import type { AccessKind, MethodSupport } from "../upstream.ts";

const everyone: readonly AccessKind[] = ["user", "public"];
const withAccount: readonly AccessKind[] = ["user"];

const searchNote =
  "Only where the operator has switched it on (`EARSHOT_BLUESKY_SEARCH`) and a credential is there: Bluesky asks that people, " +
  "not programs, be the ones who search. What it gives promises not to be everything; the archive of its stream is the way that is meant.";

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
    note:
      "Answers to the post and answers to those, as a thread is read: each after what it answers, the oldest first. As much as " +
      "the network tells of a thread at once; very large ones are told in part.",
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
    note: "The account's own posts that show pictures or videos.",
  },
  gethometweets: { access: withAccount, endpoint: "app.bsky.feed.getTimeline", note: "" },
  getforyoutweets: {
    access: withAccount,
    endpoint: "app.bsky.feed.getFeed",
    note: "The feed that `EARSHOT_BLUESKY_FEED` names, as it is made for the account.",
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
