import * as z from "zod";
import { isoText } from "../../lib/iso-time.ts";
import { createJsonMeter } from "../../lib/json-shape.ts";
import type { FetchedItem } from "../../platforms/source.ts";
import type { Post, PostReference } from "../../posts/post.ts";
import { answerRefused } from "./errors.ts";
import { checkPostNames, nameMissing } from "./record-names.ts";
import { platformName, postId } from "./wire.ts";

/** Largest record, characters. */
const mostCharacters = 262_144;

/** A post has some 50 different names. Records are parsed again, many at a time, when they are shown. */
const mostNames = 200;

const text = z.string().nullable().default(null);
const texts = z.array(z.string()).default([]);
const truth = z.boolean().nullable().default(null);

/** A time in ISO 8601 in UTC, of a day that exists; read as Unix milliseconds. */
const time = z
  .string()
  .refine((written) => {
    const ms = Date.parse(written);
    if (Number.isNaN(ms)) return false;
    return isoText(ms) === written || new Date(ms).toISOString() === written;
  })
  .transform((written) => Date.parse(written))
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
  .transform(
    ({ id, uri, username, user_id: userId }): PostReference => ({ id, uri, username, userId }),
  )
  .nullable()
  .default(null);

const metadata = z.looseObject({
  /** Absent from posts; `ids` for those of which no more may be shown. */
  kind: z.enum(["ids", "profile", "trend", "space"]).optional(),
  platform: platformName,
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

/** What a record says about its item. */
export type ReadRecord = {
  item: FetchedItem;
  /** The ID as the record has it: of a post, an account, a trend or a space. */
  name: string;
  kind: RecordKind;
  /** Unix milliseconds; null where it is not given. */
  createdMs: number | null;
  /** The post as far as its record shows it; null for other kinds, and for a post reduced to its IDs. */
  post: Post | null;
};

/**
 * Reads a record: what is deleted or hidden later is found by the uri and account that it names. Errors: `answer_refused` with
 * `record_malformed`, or what record-names.ts throws.
 */
export function readRecord(record: string): ReadRecord {
  const read = parsed(record);
  const { ID: name, Metadata } = read ?? {};
  const { kind = "post" } = Metadata ?? {};
  const isPost = kind === "post" || kind === "ids";
  if (
    read === null ||
    Metadata === undefined ||
    name === undefined ||
    (isPost && !postId.safeParse(name).success)
  ) {
    throw answerRefused("record_malformed", "a record of the answer is malformed");
  }
  const { platform, uri, user_id: userId, created_at: createdMs } = Metadata;
  const item = { platform, id: isPost ? BigInt(name) : null, uri, userId, record };
  if (isPost) checkPostNames(item, Metadata);
  if (kind === "profile" && userId !== name) throw nameMissing();
  const post = kind === "post" ? postOf(read) : null;
  return { item, name, kind: isPost ? "post" : kind, createdMs, post };
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

/** The post that a record shows: without when the network saw it, and the accounts of its mentions. */
function postOf({ Content, Metadata: told }: RecordShape): Post {
  const counts = told.public_metrics;
  return {
    platform: told.platform,
    uri: told.uri ?? "",
    nativeId: null,
    url: told.url,
    username: told.username ?? "",
    userId: told.user_id,
    authorName: null,
    authorVerified: told.author_verified,
    createdAt: "",
    createdMs: told.created_at,
    seenMs: null,
    text: Content,
    langs: told.langs,
    detectedLang: told.lang_detected === true ? told.lang : null,
    conversationId: told.conversation_id,
    inReplyTo: told.in_reply_to,
    quoted: told.quoted,
    reposted: told.reposted,
    isReply: told.is_reply === true,
    isQuote: told.is_quote === true,
    isRepost: told.is_retweet === true,
    hashtags: told.hashtags,
    mentions: told.mentions.map((username) => ({ username, userId: null })),
    urls: told.urls,
    media: told.media,
    geo: told.geo,
    labels: told.labels,
    sensitive: told.possibly_sensitive,
    source: told.source,
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
