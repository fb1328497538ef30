import type { Platform } from "@earshot/query/tree";

export { byPlatform, type Platform, platforms, platformTitles } from "@earshot/query/tree";

export type Origin = "stream" | "backfill" | "import" | "upstream";

export type PostReference = {
  id: string | null;
  uri: string | null;
  username: string | null;
  userId: string | null;
};

export type Mention = { username: string; userId: string | null };

export type Media = { type: string; url: string | null; alt: string | null };

export type PostCounts = {
  likes: number | null;
  reposts: number | null;
  replies: number | null;
  quotes: number | null;
};

/**
 * A post as received. Handles are as written, but without the leading `@`; `userId` is the
 * platform's account id (a DID, an X user id).
 */
export type Post = {
  platform: Platform;
  uri: string;
  nativeId: bigint | null;
  url: string | null;
  username: string;
  userId: string | null;
  authorName: string | null;
  authorVerified: boolean | null;
  createdAt: string;
  /** `createdAt` in Unix milliseconds; null if unparseable. */
  createdMs: number | null;
  /**
   * When the network saw the post, in Unix milliseconds; null if unknown.
   */
  seenMs: number | null;
  text: string;
  langs: readonly string[];
  detectedLang: string | null;
  conversationId: string | null;
  inReplyTo: PostReference | null;
  quoted: PostReference | null;
  reposted: PostReference | null;
  isReply: boolean;
  isQuote: boolean;
  isRepost: boolean;
  hashtags: readonly string[];
  mentions: readonly Mention[];
  urls: readonly string[];
  media: readonly Media[];
  geo: { lat: number; lon: number } | null;
  labels: readonly string[];
  sensitive: boolean | null;
  source: string | null;
  counts: PostCounts;
  origin: Origin;
  /**
   * The repository revision on Bluesky, the edit time on Mastodon; empty if unknown. Later edits
   * and deletions exceed it.
   */
  revision: string;
};
