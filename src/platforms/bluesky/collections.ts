import { postCollection } from "./post.ts";

/** What can be followed of the network's records, by the words that the configuration uses. */
export const followedWords = ["posts", "likes", "reposts", "profiles"] as const;

export type FollowedWord = (typeof followedWords)[number];

export const profileCollection = "app.bsky.actor.profile";

const collections: Readonly<Record<FollowedWord, string>> = {
  posts: postCollection,
  likes: "app.bsky.feed.like",
  reposts: "app.bsky.feed.repost",
  profiles: profileCollection,
};

/** The collection of records that a word stands for. */
export const collectionOf = (word: FollowedWord): string => collections[word];

const words = new Map(followedWords.map((word) => [collections[word], word]));

/** The word of a collection; null for one that nobody follows. */
export const wordOf = (collection: string): FollowedWord | null => words.get(collection) ?? null;
