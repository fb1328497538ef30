import { postCollection } from "./post.ts";

export const streamCollections = ["posts", "likes", "reposts", "profiles"] as const;

export type StreamCollection = (typeof streamCollections)[number];

export const profileCollection = "app.bsky.actor.profile";

const nsids: Readonly<Record<StreamCollection, string>> = {
  posts: postCollection,
  likes: "app.bsky.feed.like",
  reposts: "app.bsky.feed.repost",
  profiles: profileCollection,
};

export const collectionNsid = (collection: StreamCollection): string => nsids[collection];

const namesByNsid = new Map(streamCollections.map((collection) => [nsids[collection], collection]));

export const findStreamCollection = (collection: string): StreamCollection | null =>
  namesByNsid.get(collection) ?? null;
