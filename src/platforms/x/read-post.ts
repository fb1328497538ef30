import { isoTime } from "../../lib/iso-time.ts";
import { hasTime, idTimeMs, xUri } from "../../posts/ids.ts";
import type { Post, PostCounts } from "../../posts/post.ts";
import { asFields, list, string } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import type { Includes } from "./includes.ts";
import {
  firstPresent,
  nonEmptyText,
  readBoolean,
  readCount,
  readIdText,
  readUsername,
} from "./json.ts";
import { readEntities, readMedia } from "./post-entities.ts";
import { readReferences, replyReference } from "./post-references.ts";

const maxTextLength = 100_000;

/** Null without an ID, author or time. A repost has X's text until `withOriginal` replaces it. */
export function readXPost(value: unknown, includes: Includes): Post | null {
  const fields = asFields(value);
  const id = readIdText(fields.id);
  const userId = readIdText(fields.author_id);
  const times = id === null ? null : idTimes(BigInt(id), fields.created_at);
  if (id === null || userId === null || times === null) return null;
  const author = includes.users.get(userId);
  const username = readUsername(author?.username) ?? "";
  const note = firstPresent(fields, "note_tweet", "note_post");
  const noteText = nonEmptyText(asFields(note).text, maxTextLength);
  const entities = readEntities(
    noteText === null ? fields.entities : (firstPresent(note, "entities") ?? fields.entities),
  );
  const references = readReferences(fields, entities, includes);
  const parent = references.replied_to;
  const inReplyTo = replyReference(fields, parent, { username, userId }, entities.mentions);
  return {
    platform: "x",
    uri: xUri(id),
    nativeId: BigInt(id),
    url: username === "" ? null : `https://x.com/${username}/status/${id}`,
    username,
    userId,
    authorName: nonEmptyText(author?.name, 1_000),
    authorVerified: readBoolean(author?.verified),
    ...times,
    text: noteText ?? string(fields.text, maxTextLength) ?? "",
    langs: readLangs(fields.lang),
    detectedLang: null,
    conversationId: readIdText(fields.conversation_id),
    inReplyTo,
    quoted: references.quoted,
    reposted: references.retweeted,
    isReply: inReplyTo !== null,
    isQuote: references.quoted !== null,
    isRepost: references.retweeted !== null,
    ...entities,
    media: readMedia(fields.attachments, includes),
    geo: readGeo(fields.geo),
    labels: [],
    sensitive: readBoolean(fields.possibly_sensitive),
    source: nonEmptyText(fields.source, 1_000),
    counts: readCounts(fields.public_metrics),
    origin: "upstream",
    revision: "",
  };
}

export function withOriginal(repost: Post, original: Post): Post {
  return {
    ...repost,
    text: original.text,
    langs: original.langs,
    hashtags: original.hashtags,
    mentions: original.mentions,
    urls: original.urls,
    media: original.media,
    geo: original.geo,
    sensitive: original.sensitive,
    counts: original.counts,
    reposted: {
      id: original.nativeId?.toString() ?? null,
      uri: original.uri,
      username: original.username || null,
      userId: original.userId,
    },
  };
}

/** Withheld everywhere, or for a copyright complaint. */
export function isPostWithheld(value: unknown): boolean {
  const { copyright, country_codes: codes } = asFields(asFields(value).withheld);
  return copyright === true || list(codes, 300).some((code) => code === "XX" || code === "XY");
}

type Times = Pick<Post, "createdAt" | "createdMs" | "seenMs">;

function idTimes(id: bigint, created: unknown): Times | null {
  const seenMs = hasTime(id) ? idTimeMs(id) : null;
  const createdAt = typeof created === "string" && created.length <= 40 ? created : null;
  const createdMs = createdAt === null ? null : parseIsoTime(createdAt);
  if (createdAt !== null && createdMs !== null) return { createdAt, createdMs, seenMs };
  if (seenMs === null) return null;
  return { createdAt: isoTime(seenMs), createdMs: seenMs, seenMs };
}

function readLangs(value: unknown): string[] {
  return typeof value === "string" && /^[A-Za-z]{2,8}(?:[-_][A-Za-z0-9]{1,8}){0,3}$/.test(value)
    ? [value]
    : [];
}

/** GeoJSON puts the longitude first. */
function readGeo(value: unknown): { lat: number; lon: number } | null {
  const [lon, lat] = list(asFields(asFields(value).coordinates).coordinates, 2);
  if (typeof lat !== "number" || typeof lon !== "number") return null;
  return Math.abs(lat) <= 90 && Math.abs(lon) <= 180 ? { lat, lon } : null;
}

function readCounts(value: unknown): PostCounts {
  const metrics = asFields(value);
  return {
    likes: readCount(metrics.like_count),
    reposts: readCount(firstPresent(metrics, "retweet_count", "repost_count")),
    replies: readCount(metrics.reply_count),
    quotes: readCount(metrics.quote_count),
  };
}
