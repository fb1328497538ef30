import type { Platform } from "@earshot/query/tree";

export { type Platform, platforms } from "@earshot/query/tree";

export type Origin = "stream" | "backfill" | "import" | "upstream";

export type PostReference = {
  id: string | null;
  uri: string | null;
  username: string | null;
  userId: string | null;
};

export type Mention = { username: string; userId: string | null };

export type Media = { type: string; url: string | null; alt: string | null };

/** Counts as last seen; null if the source does not report them. */
export type PostCounts = {
  likes: number | null;
  reposts: number | null;
  replies: number | null;
  quotes: number | null;
};

/**
 * One post of any platform, as received. `uri` is its identity. Handles are as written, without the leading `@`; `userId` is
 * the platform's account id (a DID, an X user id) if the source gives one.
 */
export type Post = {
  platform: Platform;
  uri: string;
  /** The platform's own ID if it sorts by time (X): it becomes the post's ID. */
  nativeId: bigint | null;
  url: string | null;
  username: string;
  userId: string | null;
  authorName: string | null;
  /** Whether the platform has verified the author's identity; null if the source does not report it. */
  authorVerified: boolean | null;
  createdAt: string;
  /** Unix milliseconds of `createdAt`, null if unparseable. */
  createdMs: number | null;
  /** When the network saw the post, Unix milliseconds: stream event time, else the time in the record key, else null. */
  seenMs: number | null;
  text: string;
  /** BCP 47 tags as received; empty if the source gives none. */
  langs: readonly string[];
  /** Language detected in the text of a post without `langs`; null if undetected. */
  detectedLang: string | null;
  /** The root post: its number on X, its uri on other platforms. */
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
  /** Expanded links. */
  urls: readonly string[];
  media: readonly Media[];
  geo: { lat: number; lon: number } | null;
  labels: readonly string[];
  sensitive: boolean | null;
  source: string | null;
  counts: PostCounts;
  origin: Origin;
  /** Revision of the record, which a later edit or delete exceeds (the repository revision on Bluesky); empty if unknown. */
  revision: string;
};
