import { isoTime } from "../../lib/iso-time.ts";
import type { Post } from "../../posts/post.ts";
import { asFields, string } from "../fields.ts";
import { htmlToText } from "../mastodon/html-text.ts";
import type { PageItem } from "../upstream-page.ts";
import { itemUri } from "./description.ts";

const maxText = 100_000;

/** A hit of the API: a story or a comment. */
export function readHit(value: unknown): PageItem {
  const hit = asFields(value);
  const id = numberText(hit.objectID);
  const author = string(hit.author, 100);
  const seconds = hit.created_at_i;
  if (id === null || author === null || typeof seconds !== "number") return { kind: "unreadable" };
  const createdMs = seconds * 1_000;
  const { text, links } = htmlToText(
    string(hit.comment_text, maxText) ?? string(hit.story_text, maxText) ?? "",
  );
  const title = string(hit.title, maxText);
  const link = string(hit.url, 2_048);
  const parent = numberText(hit.parent_id);
  const thread = numberText(hit.story_id);
  const post: Post = {
    platform: "hackernews",
    uri: itemUri(id),
    nativeId: null,
    url: null,
    username: author,
    userId: author,
    authorName: null,
    authorVerified: null,
    createdAt: isoTime(createdMs),
    createdMs,
    seenMs: createdMs,
    text: [title, text].filter(Boolean).join("\n\n"),
    langs: [],
    detectedLang: null,
    conversationId: itemUri(thread ?? id),
    inReplyTo:
      parent === null ? null : { id: parent, uri: itemUri(parent), username: null, userId: null },
    quoted: null,
    reposted: null,
    isReply: parent !== null,
    isQuote: false,
    isRepost: false,
    hashtags: [],
    mentions: [],
    urls: [...(link === null ? [] : [link]), ...links.map(({ url }) => url)],
    media: [],
    geo: null,
    labels: [],
    sensitive: null,
    source: null,
    counts: {
      likes: asCount(hit.points),
      reposts: null,
      replies: asCount(hit.num_comments),
      quotes: null,
    },
    origin: "upstream",
    revision: "",
  };
  return { kind: "post", post };
}

const numberText = (value: unknown): string | null => {
  const text = String(value);
  return /^\d{1,12}$/.test(text) ? text : null;
};

const asCount = (value: unknown): number | null => (typeof value === "number" ? value : null);
