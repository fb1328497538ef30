import { extractEntities, type TextSpan } from "@earshot/query/text";
import type { Media, Mention, Post, PostReference } from "../../posts/post.ts";
import { isSensitiveLabel } from "../../posts/terms.ts";
import { distinctTags } from "../distinct-tags.ts";
import { asFields, list, string } from "../fields.ts";
import { isHttpUrl } from "../identity.ts";
import { parseIsoTime } from "../time.ts";
import { isDid, isHandle, isTid, parseAtUri } from "./at-uri.ts";
import { readSelfLabels } from "./self-labels.ts";

export type PostCommit = {
  did: string;
  collection: string;
  rkey: string;
  rev: string;
  record: unknown;
  seenMs: number;
};

export const postCollection = "app.bsky.feed.post";

/** In UTF-16 code units, far above the limits of official apps. */
const maxTextLength = 10_000;
const maxAltLength = 5_000;
const maxUrlLength = 8_192;
const maxTagLength = 640;
/** Maximum of hashtags, mentions and links each. */
const maxEntities = 100;
const maxFacets = 100;
const maxFeaturesPerFacet = 10;
const maxImages = 4;
const maxGalleryImages = 20;

/**
 * Drops fields that do not match https://docs.bsky.app/docs/advanced-guides/posts. `username` is
 * empty, because the record lacks it.
 */
export function readCommitPost(commit: PostCommit): Post {
  const { did, collection, rkey, rev, seenMs } = commit;
  const record = asFields(commit.record);
  const text = string(record.text, maxTextLength) ?? "";
  const createdAt = string(record.createdAt, 64) ?? "";
  const entities = addTextEntities(text, readFacets(text, record.facets));
  const embed = readEmbed(did, record.embed);
  const reply = asFields(record.reply);
  const parent = uriReference(asFields(reply.parent).uri);
  const labels = readSelfLabels(record.labels);
  return {
    platform: "bluesky",
    uri: `at://${did}/${collection}/${rkey}`,
    nativeId: null,
    url: null,
    username: "",
    userId: did,
    authorName: null,
    authorVerified: null,
    createdAt,
    createdMs: parseIsoTime(createdAt),
    seenMs,
    text,
    langs: list(record.langs, 10).filter(isLanguageTag),
    detectedLang: null,
    conversationId: parent === null ? null : (uriReference(asFields(reply.root).uri)?.uri ?? null),
    inReplyTo: parent,
    quoted: embed.quoted,
    reposted: null,
    isReply: parent !== null,
    isQuote: embed.quoted !== null,
    isRepost: false,
    hashtags: distinctTags([...entities.tags, ...readTags(record.tags)]).slice(0, maxEntities),
    mentions: entities.mentions.slice(0, maxEntities),
    urls: distinct([...distinct(entities.links).slice(0, maxEntities - 1), ...embed.links]),
    media: embed.media,
    geo: null,
    labels,
    sensitive: labels.some(isSensitiveLabel),
    source: null,
    counts: { likes: null, reposts: null, replies: null, quotes: null },
    origin: "stream",
    revision: isTid(rev) ? rev : "",
  };
}

type Facets = { mentions: Mention[]; links: string[]; tags: string[]; spans: TextSpan[] };

/** Offsets in facets count UTF-8 bytes. */
function readFacets(text: string, value: unknown): Facets {
  const parsed: Facets = { mentions: [], links: [], tags: [], spans: [] };
  const facets = list(value, maxFacets);
  if (facets.length === 0) return parsed;
  const bytes = Buffer.from(text);
  for (const facet of facets) {
    const { index, features } = asFields(facet);
    const previousCount = parsed.mentions.length + parsed.links.length + parsed.tags.length;
    for (const feature of list(features, maxFeaturesPerFacet)) {
      const { $type, did, uri, tag } = asFields(feature);
      if ($type === "app.bsky.richtext.facet#mention" && typeof did === "string" && isDid(did)) {
        parsed.mentions.push({ username: handleAt(bytes, index), userId: did });
      }
      if ($type === "app.bsky.richtext.facet#link") parsed.links.push(...readLink(uri));
      if ($type === "app.bsky.richtext.facet#tag") parsed.tags.push(...readTags([tag]));
    }
    const hasEntities =
      parsed.mentions.length + parsed.links.length + parsed.tags.length > previousCount;
    const position = decodePosition(bytes, index);
    if (hasEntities && position !== null) parsed.spans.push(toUtf16(bytes, position));
  }
  return parsed;
}

/** The analyzer does not index links and mentions as words. */
function addTextEntities(text: string, facets: Facets): Facets {
  const { spans } = facets;
  const entities = { ...facets };
  const mentionedNames = new Set(facets.mentions.map(({ username }) => username.toLowerCase()));
  for (const { kind, value, start, end } of extractEntities(text, { dottedHandles: true })) {
    if (spans.some((span) => start < span.end && span.start < end)) continue;
    if (kind === "url") entities.links.push(value);
    if (kind === "hashtag") entities.tags.push(value);
    if (kind !== "mention" || mentionedNames.has(value.toLowerCase())) continue;
    mentionedNames.add(value.toLowerCase());
    entities.mentions.push({ username: value, userId: null });
  }
  return entities;
}

function handleAt(bytes: Buffer, index: unknown): string {
  const position = decodePosition(bytes, index);
  if (position === null) return "";
  const name = bytes.toString("utf8", position.start, position.end).replace(/^[@＠]/, "");
  return isHandle(name) ? name : "";
}

function decodePosition(bytes: Buffer, index: unknown): TextSpan | null {
  const { byteStart, byteEnd } = asFields(index);
  if (!isOffset(byteStart) || !isOffset(byteEnd)) return null;
  return byteEnd > bytes.length ? null : { start: byteStart, end: byteEnd };
}

const toUtf16 = (bytes: Buffer, { start, end }: TextSpan): TextSpan => ({
  start: bytes.toString("utf8", 0, start).length,
  end: bytes.toString("utf8", 0, end).length,
});

const isOffset = (value: unknown): value is number => Number.isInteger(value) && Number(value) >= 0;

function readTags(value: unknown): string[] {
  return list(value, maxEntities).flatMap((item) => {
    const tag = string(item, maxTagLength)
      ?.replace(/^[#＃]/, "")
      .trim();
    return tag === undefined || tag === "" ? [] : [tag];
  });
}

function readLink(value: unknown): string[] {
  return typeof value === "string" && value.length <= maxUrlLength && isHttpUrl(value)
    ? [value.toWellFormed()]
    : [];
}

type Embed = { links: string[]; media: Media[]; quoted: PostReference | null };

function readEmbed(did: string, value: unknown): Embed {
  const embed = asFields(value);
  const emptyEmbed: Embed = { links: [], media: [], quoted: null };
  switch (embed.$type) {
    case "app.bsky.embed.external":
      return { ...emptyEmbed, links: readLink(asFields(embed.external).uri) };
    case "app.bsky.embed.images":
      return {
        ...emptyEmbed,
        media: list(embed.images, maxImages).map((image) => readImage(did, image)),
      };
    case "app.bsky.embed.gallery":
      return {
        ...emptyEmbed,
        media: list(embed.items, maxGalleryImages).map((image) => readImage(did, image)),
      };
    case "app.bsky.embed.video":
      return { ...emptyEmbed, media: [readVideo(did, embed)] };
    case "app.bsky.embed.record":
      return { ...emptyEmbed, quoted: quotedPost(asFields(embed.record).uri) };
    case "app.bsky.embed.recordWithMedia": {
      const media = asFields(embed.media);
      // `recordWithMedia` embeds do not nest.
      const mediaEmbed = media.$type === embed.$type ? emptyEmbed : readEmbed(did, media);
      return { ...mediaEmbed, quoted: quotedPost(asFields(asFields(embed.record).record).uri) };
    }
    default:
      return emptyEmbed;
  }
}

function readImage(did: string, value: unknown): Media {
  const { alt, image } = asFields(value);
  const key = blobKey(image);
  const url =
    key === null ? null : `https://cdn.bsky.app/img/feed_fullsize/plain/${did}/${key}@jpeg`;
  return { type: "image", url, alt: string(alt, maxAltLength) || null };
}

function readVideo(did: string, embed: Record<string, unknown>): Media {
  const { alt, video, presentation } = embed;
  const key = blobKey(video);
  const url =
    key === null
      ? null
      : `https://video.bsky.app/watch/${encodeURIComponent(did)}/${key}/playlist.m3u8`;
  return {
    type: presentation === "gif" ? "gif" : "video",
    url,
    alt: string(alt, maxAltLength) || null,
  };
}

function blobKey(blob: unknown): string | null {
  const { $link } = asFields(asFields(blob).ref);
  return typeof $link === "string" && /^[a-z0-9]{10,120}$/i.test($link) ? $link : null;
}

/** Null for feeds, lists and starter packs, which are embedded in the same way. */
function quotedPost(uri: unknown): PostReference | null {
  const reference = uriReference(uri);
  return reference?.uri?.includes(`/${postCollection}/`) ? reference : null;
}

function uriReference(uri: unknown): PostReference | null {
  if (typeof uri !== "string") return null;
  const parts = parseAtUri(uri);
  return parts === null ? null : { id: null, uri, username: null, userId: parts.did };
}

const isLanguageTag = (value: unknown): value is string =>
  typeof value === "string" &&
  value.length <= 35 &&
  /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(value);

const distinct = (items: readonly string[]): string[] => [...new Set(items)];
