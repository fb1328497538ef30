import { postCollection } from "./post.ts";

export const followedCollections = ["posts", "likes", "reposts", "profiles"] as const;

export type FollowedCollection = (typeof followedCollections)[number];

export const profileCollection = "app.bsky.actor.profile";

const nsids: Readonly<Record<FollowedCollection, string>> = {
  posts: postCollection,
  likes: "app.bsky.feed.like",
  reposts: "app.bsky.feed.repost",
  profiles: profileCollection,
};

export const collectionNsid = (collection: FollowedCollection): string => nsids[collection];

const namesByNsid = new Map(
  followedCollections.map((collection) => [nsids[collection], collection]),
);

export const findFollowedCollection = (collection: string): FollowedCollection | null =>
  namesByNsid.get(collection) ?? null;
