import { xUri } from "../../src/posts/ids.ts";
import type { Post } from "../../src/posts/post.ts";

export function makePost(overrides: Partial<Post> & { key?: string } = {}): Post {
  const { key = "1", ...rest } = overrides;
  const nativeId = rest.nativeId ?? null;
  const createdMs = rest.createdMs === undefined ? Date.UTC(2026, 0, 1) : rest.createdMs;
  return {
    platform: "bluesky",
    uri: nativeId === null ? `at://did:plc:author/app.bsky.feed.post/${key}` : xUri(nativeId),
    nativeId,
    url: null,
    username: "author.example.com",
    userId: "did:plc:author",
    authorName: null,
    authorVerified: null,
    createdAt: createdMs === null ? "never" : new Date(createdMs).toISOString(),
    createdMs,
    seenMs: createdMs,
    text: "a plain post",
    langs: [],
    detectedLang: null,
    conversationId: null,
    inReplyTo: null,
    quoted: null,
    reposted: null,
    isReply: false,
    isQuote: false,
    isRepost: false,
    hashtags: [],
    mentions: [],
    urls: [],
    media: [],
    geo: null,
    labels: [],
    sensitive: null,
    source: null,
    counts: { likes: null, reposts: null, replies: null, quotes: null },
    origin: "import",
    revision: "",
    ...rest,
  };
}
