import { postCollection } from "./post.ts";

export const followedWords = ["posts", "likes", "reposts", "profiles"] as const;

export type FollowedWord = (typeof followedWords)[number];

export const profileCollection = "app.bsky.actor.profile";

const collections: Readonly<Record<FollowedWord, string>> = {
  posts: postCollection,
  likes: "app.bsky.feed.like",
  reposts: "app.bsky.feed.repost",
  profiles: profileCollection,
};

export const collectionOf = (word: FollowedWord): string => collections[word];

const words = new Map(followedWords.map((word) => [collections[word], word]));

export const followedWordOf = (collection: string): FollowedWord | null =>
  words.get(collection) ?? null;
