import { createHash } from "node:crypto";
import type { Post } from "../../posts/post.ts";
import { isSensitiveLabel } from "../../posts/terms.ts";
import { asFields, isObject } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { parseAtUri, tidMs } from "./at-uri.ts";
import { type AuthorView, readAuthorView, readViewCount } from "./author-view.ts";
import { postCollection, readCommitPost } from "./post.ts";
import { isAccountWithheld, isRemoved, readViewLabels } from "./view-labels.ts";

export type PostViewResult = Post | "withheld" | "unreadable";

const repostReason = "app.bsky.feed.defs#reasonRepost";

/** Allowed clock skew; times further ahead are ignored. */
const maxAheadMs = 24 * 3_600_000;

export function readPostView(value: unknown, nowMs: number): PostViewResult {
  const view = asFields(value);
  const parts = typeof view.uri === "string" ? parseAtUri(view.uri) : null;
  const author = readAuthorView(view.author, nowMs);
  if (parts?.collection !== postCollection || author?.did !== parts.did) return "unreadable";
  if (!isObject(view.record)) return "unreadable";
  const seenMs = readIndexedMs(view.indexedAt, nowMs) ?? nullIfAhead(tidMs(parts.rkey), nowMs);
  const commit = { ...parts, rev: "", record: view.record, seenMs: seenMs ?? nowMs };
  const post = readCommitPost(commit);
  const ownLabels = [...new Set([...post.labels, ...readViewLabels(view.labels, nowMs)])];
  if (isRemoved(ownLabels) || isAccountWithheld(author.labels)) return "withheld";
  const labels = [...new Set([...ownLabels, ...author.labels])];
  return {
    ...post,
    ...authorFields(author),
    seenMs,
    labels,
    sensitive: labels.some(isSensitiveLabel),
    counts: {
      likes: readViewCount(view.likeCount),
      reposts: readViewCount(view.repostCount),
      replies: readViewCount(view.replyCount),
      quotes: readViewCount(view.quoteCount),
    },
    origin: "upstream",
  };
}

/** A repost has its own author and time, and the original's text, but no counts or parent. */
export function readFeedView(value: unknown, nowMs: number): PostViewResult {
  const { post: view, reason } = asFields(value);
  const original = readPostView(view, nowMs);
  const { $type, by, uri, indexedAt } = asFields(reason);
  if ($type !== repostReason || typeof original === "string") return original;
  const reposter = readAuthorView(by, nowMs);
  const repostedMs = readIndexedMs(indexedAt, nowMs);
  if (reposter === null || repostedMs === null) return "unreadable";
  if (isAccountWithheld(reposter.labels)) return "withheld";
  return {
    ...original,
    ...authorFields(reposter),
    uri: repostUri(uri, reposter.did, original.uri),
    userId: reposter.did,
    createdAt: String(indexedAt),
    createdMs: repostedMs,
    seenMs: repostedMs,
    conversationId: null,
    inReplyTo: null,
    isReply: false,
    isRepost: true,
    reposted: {
      id: null,
      uri: original.uri,
      username: original.username || null,
      userId: original.userId,
    },
    counts: { likes: null, reposts: null, replies: null, quotes: null },
  };
}

const authorFields = (
  author: AuthorView,
): Pick<Post, "username" | "authorName" | "authorVerified"> => ({
  username: author.handle ?? "",
  authorName: author.name,
  authorVerified: author.verified,
});

const repostCollection = "app.bsky.feed.repost";

/** Derives a deterministic URI if the AppView omits it. */
function repostUri(uri: unknown, did: string, originalUri: string): string {
  const parts = typeof uri === "string" ? parseAtUri(uri) : null;
  if (parts?.did === did && parts.collection === repostCollection) return String(uri);
  const key = createHash("sha256").update(originalUri).digest("hex").slice(0, 32);
  return `at://${did}/${repostCollection}/${key}`;
}

export function readIndexedMs(value: unknown, nowMs: number): number | null {
  const indexedMs = typeof value === "string" && value.length <= 64 ? parseIsoTime(value) : null;
  return nullIfAhead(indexedMs, nowMs);
}

export function readViewTimes(value: unknown, nowMs: number): Pick<Post, "createdMs" | "seenMs"> {
  const view = asFields(value);
  const { $type, indexedAt } = asFields(view.reason);
  if ($type === repostReason) {
    return { createdMs: null, seenMs: readIndexedMs(indexedAt, nowMs) ?? nowMs };
  }
  const post = isObject(view.post) ? view.post : view;
  const { createdAt } = asFields(post.record);
  return {
    createdMs: typeof createdAt === "string" ? parseIsoTime(createdAt.slice(0, 64)) : null,
    seenMs: readIndexedMs(post.indexedAt, nowMs) ?? nowMs,
  };
}

const nullIfAhead = (ms: number | null, nowMs: number): number | null =>
  ms !== null && ms <= nowMs + maxAheadMs ? ms : null;
