import { isoText } from "../../lib/iso-time.ts";
import type { Origin, Post, PostCounts } from "../../posts/post.ts";
import { asFields, isObject, string } from "../fields.ts";
import { parseIsoTime } from "../time.ts";
import { readAccountNames, readLocalId } from "./account.ts";
import { asCount } from "./count.ts";
import { asHttpUrl } from "./http-url.ts";
import { readAttachments, textAndLinks } from "./status-body.ts";
import { addTextEntities, maxEntities, readMentions, readTags } from "./status-entities.ts";
import { parentReference, readQuoted, statusIdentity } from "./status-references.ts";

/** `instance`: the host (and port) that returned the status. */
export type StatusOrigin = { instance: string; seenMs: number; origin: Origin };

/**
 * Null without identity or author. Drops fields that do not match
 * https://docs.joinmastodon.org/entities/Status/. As in Mastodon's search, a content warning
 * precedes the text, and poll options follow it.
 */
export function readStatusPost(status: unknown, context: StatusOrigin): Post | null {
  const { reblog } = asFields(status);
  if (!isObject(reblog)) return postWithoutReblog(status, context);
  const post = postWithoutReblog(status, context);
  const original = postWithoutReblog(reblog, context);
  return post === null || original === null
    ? null
    : makeRepost(post, original, readLocalId(reblog.id));
}

/**
 * Public, and the author opted in to search; for a boost, the original's author too. False if the
 * setting is missing.
 */
export function isIndexable(status: unknown): boolean {
  const { visibility, account, reblog } = asFields(status);
  const { indexable, noindex } = asFields(account);
  if (visibility !== "public" || indexable !== true || noindex === true) return false;
  if (!isObject(reblog)) return true;
  return !isObject(reblog.reblog) && isIndexable(reblog);
}

function postWithoutReblog(
  value: unknown,
  { instance, seenMs, origin }: StatusOrigin,
): Post | null {
  const status = asFields(value);
  const author = readAccountNames(status.account, instance);
  const uri = statusIdentity(status);
  if (author === null || uri === null) return null;
  const createdAt = string(status.created_at, 64) ?? "";
  const mentions = readMentions(status.mentions, instance);
  const quoted = readQuoted(status.quote, instance);
  const { text, links } = textAndLinks(status, quoted !== null);
  const entities = addTextEntities(text, { mentions, tags: readTags(status.tags), links });
  const inReplyTo = parentReference(status, { instance, author, mentions });
  const url = asHttpUrl(status.url);
  return {
    platform: "mastodon",
    uri,
    nativeId: null,
    url: url === uri ? null : url,
    username: author.username,
    userId: author.userId,
    authorName: author.displayName,
    authorVerified: null,
    createdAt,
    createdMs: parseIsoTime(createdAt),
    seenMs,
    text,
    langs: readLanguage(status.language),
    detectedLang: null,
    conversationId: null,
    inReplyTo,
    quoted,
    reposted: null,
    isReply: inReplyTo !== null,
    isQuote: quoted !== null,
    isRepost: false,
    hashtags: entities.tags.slice(0, maxEntities),
    mentions: entities.mentions.slice(0, maxEntities).map(({ mention }) => mention),
    urls: [...new Set(entities.links)].slice(0, maxEntities),
    media: readAttachments(status.media_attachments),
    geo: null,
    labels: [],
    sensitive: status.sensitive === true || hasContentWarning(status),
    source: string(asFields(status.application).name, 200)?.trim() || null,
    counts: statusCounts(status),
    origin,
    revision: getRevision(status),
  };
}

/** A repost has its own author and time, and the original's text. */
function makeRepost(repost: Post, original: Post, originalId: string | null): Post {
  return {
    ...repost,
    text: original.text,
    langs: original.langs,
    inReplyTo: null,
    quoted: original.quoted,
    isReply: false,
    isQuote: original.isQuote,
    isRepost: true,
    reposted: {
      id: originalId,
      uri: original.uri,
      username: original.username,
      userId: original.userId,
    },
    hashtags: original.hashtags,
    mentions: original.mentions,
    urls: original.urls,
    media: original.media,
    sensitive: original.sensitive,
    source: original.source,
    counts: { likes: null, reposts: null, replies: null, quotes: null },
  };
}

type Fields = Record<string, unknown>;

const hasContentWarning = (status: Fields): boolean =>
  typeof status.spoiler_text === "string" && status.spoiler_text.trim() !== "";

function readLanguage(language: unknown): string[] {
  const isTag =
    typeof language === "string" &&
    language.length <= 35 &&
    /^[A-Za-z]{1,8}(?:-[A-Za-z0-9]{1,8})*$/.test(language);
  return isTag ? [language] : [];
}

/** The time of the last edit, or of creation if never edited, in a sortable form. */
function getRevision({ created_at: created, edited_at: edited }: Fields): string {
  const ms = parseIsoTime(string(edited, 64) ?? string(created, 64) ?? "");
  return ms === null ? "" : isoText(ms).replace(/(:\d\d)Z$/, "$1.000Z");
}

function statusCounts(status: Fields): PostCounts {
  return {
    likes: asCount(status.favourites_count),
    reposts: asCount(status.reblogs_count),
    replies: asCount(status.replies_count),
    quotes: asCount(status.quotes_count),
  };
}
