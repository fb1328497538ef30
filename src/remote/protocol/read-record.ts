import * as z from "zod";
import { isoText } from "../../lib/iso-time.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import type { Post, PostReference } from "../../posts/post.ts";
import { checkPostNames, nameMissing } from "./check-names.ts";
import { answerRefused } from "./errors.ts";

/** Largest record, characters. */
const mostCharacters = 262_144;

/** A post has some 50 different names. Records are parsed again, many at a time, when they are shown. */
const mostNames = 200;

const text = z.string().nullable().default(null);
const texts = z.array(z.string()).default([]);
const truth = z.boolean().nullable().default(null);

/** A time as records write it: ISO 8601 in UTC, of a day that exists. */
const time = z
  .string()
  .refine((written) => {
    const ms = Date.parse(written);
    if (Number.isNaN(ms)) return false;
    return isoText(ms) === written || new Date(ms).toISOString() === written;
  })
  .nullable()
  .default(null);

/** An address that a client may follow; one without a scheme leads nowhere else. */
const address = z.string().refine(isHarmless);
const optionalAddress = address.nullable().default(null);

const linkProtocols: readonly string[] = ["http:", "https:", "at:"];

function isHarmless(written: string): boolean {
  const protocol = URL.parse(written)?.protocol;
  return protocol === undefined || linkProtocols.includes(protocol);
}

const reference = z
  .looseObject({ id: text, uri: text, username: text, user_id: text })
  .nullable()
  .default(null);

const metadata = z.looseObject({
  /** Absent from posts, `ids` for those of which no more may be told. */
  kind: z.enum(["ids", "profile", "trend", "space"]).optional(),
  platform: z.string(),
  url: optionalAddress,
  uri: text,
  created_at: time,
  username: text,
  author_verified: truth,
  user_id: text,
  lang: text,
  langs: texts,
  lang_detected: truth,
  conversation_id: text,
  in_reply_to: reference,
  quoted: reference,
  reposted: reference,
  is_reply: truth,
  is_quote: truth,
  is_retweet: truth,
  hashtags: texts,
  mentions: texts,
  urls: z.array(address).default([]),
  media: z.array(z.looseObject({ type: z.string(), url: optionalAddress, alt: text })).default([]),
  geo: z.looseObject({ lat: z.number(), lon: z.number() }).nullable().default(null),
  labels: texts,
  possibly_sensitive: truth,
  source: text,
  public_metrics: z.record(z.string(), z.number().min(0).nullable()).default({}),
  origin: text,
  /** Of profiles and spaces. */
  avatar_url: optionalAddress,
  banner_url: optionalAddress,
  scheduled_at: time,
  started_at: time,
  ended_at: time,
});

const recordShape = z.strictObject({
  ID: z.string().max(2_048),
  Content: z.string(),
  Metadata: metadata,
  Score: z.number(),
});

type RecordShape = z.infer<typeof recordShape>;

export type RecordKind = "post" | "profile" | "trend" | "space";

/** What the gateway reads in a record. */
export type ReadRecord = {
  id: string;
  kind: RecordKind;
  /** Unix milliseconds; null where it is not told. */
  createdMs: number | null;
  /** The post as far as its record shows it; null for other kinds, and for a post of which the IDs alone are told. */
  post: Post | null;
};

/**
 * Reads the record of an item and compares the two: what is deleted or hidden later is named by the item's uri and user, so
 * they have to be the record's own. Errors: `answer_refused` with `record_malformed`, `item_mismatch`, or what check-names.ts
 * throws.
 */
export function readRecord(item: FetchedItem): ReadRecord {
  const record = parsed(item.record);
  if (record === null) {
    throw answerRefused("record_malformed", "a record of the answer is malformed");
  }
  const { platform, uri, user_id: userId, kind, created_at: createdAt } = record.Metadata;
  const isPost = kind === undefined || kind === "ids";
  const isSame =
    platform === item.platform &&
    uri === item.uri &&
    userId === item.userId &&
    isPost === (item.id !== null) &&
    (item.id === null || record.ID === item.id.toString());
  if (!isSame) {
    throw answerRefused("item_mismatch", "an item of the answer names another than its record");
  }
  if (isPost) checkPostNames(item, record.Metadata);
  if (kind === "profile" && (userId === null || userId !== record.ID)) throw nameMissing();
  return {
    id: record.ID,
    kind: isPost ? "post" : kind,
    createdMs: createdAt === null ? null : Date.parse(createdAt),
    post: kind === undefined ? postOf(item, record) : null,
  };
}

/**
 * Null for what is not in the form in which records are written: a member that is there twice, or a number in another spelling,
 * would say one thing to this reader and another to the next.
 */
function parsed(text: string): RecordShape | null {
  if (text.length > mostCharacters) return null;
  try {
    if (createJsonMeter()(Buffer.from(text, "utf8")).names > mostNames) return null;
    const value: unknown = JSON.parse(text);
    return JSON.stringify(value) === text ? recordShape.parse(value) : null;
  } catch {
    return null;
  }
}

/** The post that a record shows. A record does not hold when the network saw the post, nor the accounts of its mentions. */
function postOf({ platform, uri }: FetchedItem, { Content, Metadata }: RecordShape): Post {
  const { public_metrics: counts, created_at: createdAt } = Metadata;
  return {
    platform,
    uri: uri ?? "",
    nativeId: null,
    url: Metadata.url,
    username: Metadata.username ?? "",
    userId: Metadata.user_id,
    authorName: null,
    authorVerified: Metadata.author_verified,
    createdAt: createdAt ?? "",
    createdMs: createdAt === null ? null : Date.parse(createdAt),
    seenMs: null,
    text: Content,
    langs: Metadata.langs,
    detectedLang: Metadata.lang_detected === true ? Metadata.lang : null,
    conversationId: Metadata.conversation_id,
    inReplyTo: referenceOf(Metadata.in_reply_to),
    quoted: referenceOf(Metadata.quoted),
    reposted: referenceOf(Metadata.reposted),
    isReply: Metadata.is_reply === true,
    isQuote: Metadata.is_quote === true,
    isRepost: Metadata.is_retweet === true,
    hashtags: Metadata.hashtags,
    mentions: Metadata.mentions.map((username) => ({ username, userId: null })),
    urls: Metadata.urls,
    media: Metadata.media,
    geo: Metadata.geo,
    labels: Metadata.labels,
    sensitive: Metadata.possibly_sensitive,
    source: Metadata.source,
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

function referenceOf(told: z.infer<typeof reference>): PostReference | null {
  if (told === null) return null;
  const { id, uri, username, user_id: userId } = told;
  return { id, uri, username, userId };
}
