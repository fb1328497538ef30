import type { Platform } from "../lib/platform.ts";

export { type Platform, platforms } from "../lib/platform.ts";

/** How a post came to be here. */
export type Origin = "stream" | "backfill" | "import" | "upstream";

/** A reference to another post: any part may be unknown. */
export type PostReference = {
  id: string | null;
  uri: string | null;
  username: string | null;
  userId: string | null;
};

export type Mention = { username: string; userId: string | null };

export type Media = { type: string; url: string | null; alt: string | null };

/** Counts as last seen; null where the source does not tell. */
export type PostCounts = {
  likes: number | null;
  reposts: number | null;
  replies: number | null;
  quotes: number | null;
};

/**
 * One post of any platform, as its source gave it. `uri` is its identity. Handles are kept as written, without the leading
 * `@`; `userId` is the account's own id (a DID, an X user id) where the source names one.
 */
export type Post = {
  platform: Platform;
  uri: string;
  /** The platform's own number, where it is one that sorts by time (X): it stays the post's ID. */
  nativeId: bigint | null;
  url: string | null;
  username: string;
  userId: string | null;
  authorName: string | null;
  /** Whether the platform vouches for who the author is; null where the source does not tell. */
  authorVerified: boolean | null;
  /** As received. */
  createdAt: string;
  /** Unix milliseconds of `createdAt`, null when it cannot be read. */
  createdMs: number | null;
  /** When the network saw it, Unix milliseconds: stream event time, else the time in the record key, else null. */
  seenMs: number | null;
  text: string;
  /** BCP 47 tags as received; empty when the source does not tell. */
  langs: readonly string[];
  /** The language that was detected in the text of a post without `langs`; null when none was, or none could be. */
  detectedLang: string | null;
  /** What names the post that began the conversation: its number on X, elsewhere its uri. */
  conversationId: string | null;
  inReplyTo: PostReference | null;
  quoted: PostReference | null;
  reposted: PostReference | null;
  isReply: boolean;
  isQuote: boolean;
  isRepost: boolean;
  /** Without the sigil, as written. */
  hashtags: readonly string[];
  mentions: readonly Mention[];
  /** Links in full length. */
  urls: readonly string[];
  media: readonly Media[];
  geo: { lat: number; lon: number } | null;
  labels: readonly string[];
  sensitive: boolean | null;
  /** The app it was written with, as the platform names it; null where the source does not tell. */
  source: string | null;
  counts: PostCounts;
  origin: Origin;
  /** Revision of the record that a later edit or delete exceeds (the repository revision on Bluesky); empty when unknown. */
  revision: string;
};
