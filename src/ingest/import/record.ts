import { createHash } from "node:crypto";
import { decodeEntities, extractEntities } from "@earshot/query/text";
import { stripControls } from "../../lib/controls.ts";
import {
  type IdentityRules,
  isIdentityError,
  type RecordIdentity,
} from "../../platforms/identity.ts";
import { platformDescriptions } from "../../platforms/registry.ts";
import type { Platform, Post, PostReference } from "../../posts/post.ts";
import { handleOptionsFor } from "../../posts/terms.ts";
import {
  type ImportField,
  type ImportFieldName,
  importFields,
  isAbsent,
  requiredFields,
} from "./fields.ts";

type Fields = typeof importFields;
type ValueOf<F> = F extends ImportField<infer T> ? T : never;

export type ImportRecord = {
  readonly [Name in Exclude<ImportFieldName, "author" | "created_at" | "text">]: ValueOf<
    Fields[Name]
  > | null;
} & {
  readonly author: string;
  readonly created_at: { text: string; ms: number };
  readonly text: string;
};

/** Its message is safe for a terminal. */
export class RecordError extends Error {
  override readonly name = "RecordError";

  constructor(reason: string) {
    super(stripControls(reason).replaceAll("\n", " "));
  }
}

const knownFields: ReadonlySet<string> = new Set(Object.keys(importFields));

/** Reads the fields of docs/import.md. Throws `RecordError`. */
export function readImportRecord(
  value: unknown,
  onUnknown: (name: string) => void = () => {},
): ImportRecord {
  if (!isObject(value)) throw new RecordError(`expected a JSON object, found ${valueText(value)}`);
  const fields = value;
  for (const name of Object.keys(fields)) {
    if (!knownFields.has(name)) onUnknown(name);
  }
  for (const name of requiredFields) {
    if (fields[name] === undefined || fields[name] === null) {
      throw new RecordError(`${name}: expected ${importFields[name].expected}, found none`);
    }
  }

  function readRequired<T>(name: ImportFieldName, { expected, read }: ImportField<T>): T {
    const value = read(fields[name]);
    if (value === undefined) throw unexpectedField(name, expected, fields[name]);
    return value;
  }
  const readOptional = <T>(name: ImportFieldName, field: ImportField<T>): T | null =>
    isAbsent(fields[name]) ? null : readRequired(name, field);

  return {
    id: readOptional("id", importFields.id),
    uri: readOptional("uri", importFields.uri),
    url: readOptional("url", importFields.url),
    author: readRequired("author", importFields.author),
    author_id: readOptional("author_id", importFields.author_id),
    author_name: readOptional("author_name", importFields.author_name),
    author_verified: readOptional("author_verified", importFields.author_verified),
    created_at: readRequired("created_at", importFields.created_at),
    text: readRequired("text", importFields.text),
    lang: readOptional("lang", importFields.lang),
    likes: readOptional("likes", importFields.likes),
    reposts: readOptional("reposts", importFields.reposts),
    replies: readOptional("replies", importFields.replies),
    quotes: readOptional("quotes", importFields.quotes),
    in_reply_to_id: readOptional("in_reply_to_id", importFields.in_reply_to_id),
    in_reply_to: readOptional("in_reply_to", importFields.in_reply_to),
    conversation_id: readOptional("conversation_id", importFields.conversation_id),
    is_repost: readOptional("is_repost", importFields.is_repost),
    repost_of_id: readOptional("repost_of_id", importFields.repost_of_id),
    is_quote: readOptional("is_quote", importFields.is_quote),
    quote_of_id: readOptional("quote_of_id", importFields.quote_of_id),
    hashtags: readOptional("hashtags", importFields.hashtags),
    urls: readOptional("urls", importFields.urls),
    media: readOptional("media", importFields.media),
    lat: readOptional("lat", importFields.lat),
    lon: readOptional("lon", importFields.lon),
    sensitive: readOptional("sensitive", importFields.sensitive),
    source: readOptional("source", importFields.source),
    labels: readOptional("labels", importFields.labels),
  };
}

/**
 * A record without an identity gets the uri `import:<platform>:<sha256 of the JSON list [author,
 * created_at, text]>`. Throws `RecordError` if the claimed identity is impossible or later than
 * `nowMs`.
 */
export function toPost(
  record: ImportRecord,
  platform: Platform,
  nowMs: number,
  onUnused: (name: string) => void = () => {},
): Post {
  const rules = platformDescriptions[platform].identity;
  const identity = rules.identify({
    id: record.id,
    uri: record.uri,
    url: record.url,
    author: record.author,
    authorId: record.author_id,
    nowMs,
  });
  if (isIdentityError(identity)) {
    throw unexpectedField(identity.field, identity.expected, identity.found);
  }
  if ((record.lat === null) !== (record.lon === null)) {
    const [missingName, presentName] = record.lat === null ? ["lat", "lon"] : ["lon", "lat"];
    throw new RecordError(`${missingName}: required with ${presentName}, found none`);
  }

  if (record.id !== null && !isUsedId(record.id, identity, platform)) onUnused("id");

  const entities = readEntities(record.text, platform);
  const isRepost = record.is_repost ?? record.repost_of_id !== null;
  const addressee = platform === "x" && !isRepost ? entities.addressee : null;
  const inReplyTo = replyTo(record, addressee, rules);
  const quoted = findReference("quote_of_id", record, rules);
  return {
    platform,
    uri: identity.uri ?? contentUri(record, platform),
    nativeId: identity.nativeId,
    url: identity.url,
    username: record.author,
    userId: identity.userId,
    authorName: record.author_name,
    authorVerified: record.author_verified,
    createdAt: record.created_at.text,
    createdMs: record.created_at.ms,
    seenMs: identity.seenMs,
    text: record.text,
    langs: record.lang === null ? [] : [record.lang],
    detectedLang: null,
    conversationId: recordConversation(record, platform, rules),
    inReplyTo,
    quoted,
    reposted: findReference("repost_of_id", record, rules),
    isReply: inReplyTo !== null,
    isQuote: record.is_quote ?? quoted !== null,
    isRepost,
    hashtags: mergeUnique(record.hashtags, entities.hashtags, (tag) => tag.toLowerCase()),
    mentions: entities.mentions.map((username) => ({ username, userId: null })),
    urls: mergeUnique(record.urls, entities.urls, (url) => url),
    media: record.media ?? [],
    geo: record.lat === null || record.lon === null ? null : { lat: record.lat, lon: record.lon },
    labels: record.labels ?? [],
    sensitive: record.sensitive,
    source: record.source,
    counts: {
      likes: record.likes,
      reposts: record.reposts,
      replies: record.replies,
      quotes: record.quotes,
    },
    origin: "import",
    revision: "",
  };
}

function replyTo(
  record: ImportRecord,
  addressee: string | null,
  rules: IdentityRules,
): PostReference | null {
  const parent = findReference("in_reply_to_id", record, rules);
  const username = record.in_reply_to ?? addressee;
  if (parent === null && username === null) return null;
  return { id: null, uri: null, userId: null, ...parent, username };
}

type ReferenceField = "in_reply_to_id" | "quote_of_id" | "repost_of_id" | "conversation_id";

function findReference(
  name: ReferenceField,
  record: ImportRecord,
  rules: IdentityRules,
): PostReference | null {
  const id = record[name];
  if (id === null) return null;
  const reference = rules.reference(id, record.author);
  if (reference === null) throw unexpectedField(name, rules.referenceForm, id);
  return reference;
}

function recordConversation(
  record: ImportRecord,
  platform: Platform,
  rules: IdentityRules,
): string | null {
  const root = findReference("conversation_id", record, rules);
  if (root === null || platform === "x") return record.conversation_id;
  return root.uri ?? root.id;
}

const isUsedId = (id: string, { nativeId, uri }: RecordIdentity, platform: Platform): boolean =>
  nativeId !== null || (uri ?? "").startsWith(`import:${platform}:${id}`);

function contentUri({ author, created_at, text }: ImportRecord, platform: Platform): string {
  const content = JSON.stringify([author, created_at.text, text]);
  return `import:${platform}:${createHash("sha256").update(content).digest("hex")}`;
}

type FoundEntities = {
  hashtags: string[];
  mentions: string[];
  urls: string[];
  addressee: string | null;
};

function readEntities(text: string, platform: Platform): FoundEntities {
  const entities: FoundEntities = { hashtags: [], mentions: [], urls: [], addressee: null };
  const mentionedNames = new Set<string>();
  for (const { kind, start, value } of extractEntities(
    decodeEntities(text),
    handleOptionsFor(platform),
  )) {
    if (kind === "hashtag") entities.hashtags.push(value);
    if (kind === "url") entities.urls.push(value);
    if (kind !== "mention") continue;
    if (start === 0) entities.addressee = value;
    const foldedName = value.toLowerCase();
    if (!mentionedNames.has(foldedName)) entities.mentions.push(value);
    mentionedNames.add(foldedName);
  }
  return entities;
}

function mergeUnique(
  listedItems: readonly string[] | null,
  foundItems: readonly string[],
  getKey: (item: string) => string,
): string[] {
  if ((listedItems === null || listedItems.length === 0) && foundItems.length < 2)
    return [...foundItems];
  const byKey = new Map<string, string>();
  for (const item of [...(listedItems ?? []), ...foundItems]) {
    const key = getKey(item);
    if (!byKey.has(key)) byKey.set(key, item);
  }
  return [...byKey.values()];
}

export function unexpectedField(name: string, expected: string, found: unknown): RecordError {
  const hint =
    name === "id" && typeof found === "number"
      ? " (a JSON number loses digits: put it in quotes)"
      : "";
  return new RecordError(`${name}: expected ${expected}, found ${valueText(found)}${hint}`);
}

function valueText(value: unknown): string {
  const maxLength = 60;
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? `a list of ${value.length}` : "an object";
  }
  const text = typeof value === "string" ? JSON.stringify(value.slice(0, 500)) : String(value);
  return text.length <= maxLength ? text : `${text.slice(0, maxLength)}…`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
