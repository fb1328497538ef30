import * as z from "zod";
import { isoText, isoTime } from "../../lib/iso-time.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import type { Post, PostReference } from "../../posts/post.ts";
import { answerRefused } from "./errors.ts";
import { checkPostNames, nameMissing } from "./record-names.ts";
import { platformName, postId } from "./wire.ts";

const maxCharacters = 262_144;

/** Bounds the cost of parsing; posts have about 50 JSON names. */
const maxNames = 200;

const text = z.string().nullable().default(null);
const texts = z.array(z.string()).default([]);
const nullableBoolean = z.boolean().nullable().default(null);

/** An existing date in ISO 8601 UTC, as Unix milliseconds. */
const time = z
  .string()
  .refine((text) => {
    const ms = Date.parse(text);
    if (Number.isNaN(ms)) return false;
    return isoText(ms) === text || isoTime(ms) === text;
  })
  .transform((text) => Date.parse(text))
  .nullable()
  .default(null);

/** A link that clients may follow; its scheme is optional. */
const link = z.string().refine(isSafeLink);
const optionalLink = link.nullable().default(null);

const linkProtocols: readonly string[] = ["http:", "https:", "at:"];

function isSafeLink(link: string): boolean {
  const protocol = URL.parse(link)?.protocol;
  return protocol === undefined || linkProtocols.includes(protocol);
}

const reference = z
  .looseObject({ id: text, uri: text, username: text, user_id: text })
  .transform(
    ({ id, uri, username, user_id: userId }): PostReference => ({ id, uri, username, userId }),
  )
  .nullable()
  .default(null);

const metadata = z.looseObject({
  /** Absent for posts; `ids`: posts reduced to IDs. */
  kind: z.enum(["ids", "profile", "trend", "space"]).optional(),
  platform: platformName,
  url: optionalLink,
  uri: text,
  created_at: time,
  username: text,
  author_verified: nullableBoolean,
  user_id: text,
  lang: text,
  langs: texts,
  lang_detected: nullableBoolean,
  conversation_id: text,
  in_reply_to: reference,
  quoted: reference,
  reposted: reference,
  is_reply: nullableBoolean,
  is_quote: nullableBoolean,
  is_retweet: nullableBoolean,
  hashtags: texts,
  mentions: texts,
  urls: z.array(link).default([]),
  media: z.array(z.looseObject({ type: z.string(), url: optionalLink, alt: text })).default([]),
  geo: z.looseObject({ lat: z.number(), lon: z.number() }).nullable().default(null),
  labels: texts,
  possibly_sensitive: nullableBoolean,
  source: text,
  public_metrics: z.record(z.string(), z.number().min(0).nullable()).default({}),
  origin: text,
  avatar_url: optionalLink,
  banner_url: optionalLink,
  scheduled_at: time,
  started_at: time,
  ended_at: time,
});

const isPostKind = (kind: string | undefined): boolean => kind === undefined || kind === "ids";

const recordShape = z
  .strictObject({
    ID: z.string().max(2_048),
    Content: z.string(),
    Metadata: metadata,
    Score: z.number(),
  })
  .refine(({ ID, Metadata: { kind } }) => !isPostKind(kind) || postId.safeParse(ID).success);

type RecordShape = z.infer<typeof recordShape>;

export type RecordKind = "post" | "profile" | "trend" | "space";

export type ParsedRecord = {
  item: FetchedItem;
  name: string;
  kind: RecordKind;
  createdMs: number | null;
  /** Null for other kinds, and for posts reduced to IDs. */
  post: Post | null;
};

/** Requires the uri and account of a post, by which later deletions find it. */
export function readRecord(record: string): ParsedRecord {
  const parsed = parseRecord(record);
  if (parsed === null) throw answerRefused("record_malformed", "a record is malformed");
  const { ID: name, Metadata } = parsed;
  const { kind = "post", platform, uri, user_id: userId, created_at: createdMs } = Metadata;
  const isPost = isPostKind(Metadata.kind);
  const item = { platform, id: isPost ? BigInt(name) : null, uri, userId, record };
  if (isPost) checkPostNames(item, Metadata);
  if (kind === "profile" && userId !== name) throw nameMissing();
  const post = kind === "post" ? makePost(parsed) : null;
  return { item, name, kind: kind === "ids" ? "post" : kind, createdMs, post };
}

/** Requires canonical JSON: readers could differ on duplicate members or number spellings. */
function parseRecord(text: string): RecordShape | null {
  if (text.length > maxCharacters) return null;
  try {
    if (createJsonMeter()(Buffer.from(text, "utf8")).names > maxNames) return null;
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? recordShape.parse(value) : null;
  } catch {
    return null;
  }
}

/** The post lacks the time of observation and the account ids of mentions. */
function makePost({ Content, Metadata: reportedMetadata }: RecordShape): Post {
  const counts = reportedMetadata.public_metrics;
  return {
    platform: reportedMetadata.platform,
    uri: reportedMetadata.uri ?? "",
    nativeId: null,
    url: reportedMetadata.url,
    username: reportedMetadata.username ?? "",
    userId: reportedMetadata.user_id,
    authorName: null,
    authorVerified: reportedMetadata.author_verified,
    createdAt: "",
    createdMs: reportedMetadata.created_at,
    seenMs: null,
    text: Content,
    langs: reportedMetadata.langs,
    detectedLang: reportedMetadata.lang_detected === true ? reportedMetadata.lang : null,
    conversationId: reportedMetadata.conversation_id,
    inReplyTo: reportedMetadata.in_reply_to,
    quoted: reportedMetadata.quoted,
    reposted: reportedMetadata.reposted,
    isReply: reportedMetadata.is_reply === true,
    isQuote: reportedMetadata.is_quote === true,
    isRepost: reportedMetadata.is_retweet === true,
    hashtags: reportedMetadata.hashtags,
    mentions: reportedMetadata.mentions.map((username) => ({ username, userId: null })),
    urls: reportedMetadata.urls,
    media: reportedMetadata.media,
    geo: reportedMetadata.geo,
    labels: reportedMetadata.labels,
    sensitive: reportedMetadata.possibly_sensitive,
    source: reportedMetadata.source,
    counts: {
      likes: counts.like_count ?? null,
      reposts: counts.retweet_count ?? null,
      replies: counts.reply_count ?? null,
      quotes: counts.quote_count ?? null,
    },
    origin: "upstream",
    revision: "",
  };
}
