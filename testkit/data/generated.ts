import { decodeEntities, extractEntities } from "@earshot/query/text";
import fc from "fast-check";
import { lowestId } from "../../src/posts/ids.ts";
import type { Media, Mention, Platform, Post, PostReference } from "../../src/posts/post.ts";
import { makePost } from "./make-post.ts";
import {
  accounts,
  apps,
  cashtags,
  collocations,
  coordinates,
  counts,
  dayMs,
  emoji,
  emoticons,
  firstDayMs,
  hostileFragments,
  type KnownPost,
  knownPosts,
  labels,
  languages,
  links,
  mediaTypes,
  missingPosts,
  tags,
  words,
} from "./vocabulary.ts";

const anyOf = <Value>(values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);
const maybe = <Value>(value: fc.Arbitrary<Value>, freq = 2): fc.Arbitrary<Value | null> =>
  fc.option(value, { nil: null, freq });
const few = <Value>(values: readonly Value[]): fc.Arbitrary<Value[]> =>
  fc.oneof(
    { weight: 2, arbitrary: fc.constant<Value[]>([]) },
    { weight: 1, arbitrary: fc.array(anyOf(values), { minLength: 1, maxLength: 2 }) },
  );

const piece = fc.oneof(
  { weight: 6, arbitrary: anyOf(words) },
  { weight: 3, arbitrary: anyOf(collocations).map((parts) => parts.join(" ")) },
  { weight: 1, arbitrary: anyOf(emoji) },
  { weight: 1, arbitrary: anyOf(hostileFragments) },
  { weight: 1, arbitrary: anyOf(tags).map((tag) => `#${tag}`) },
  { weight: 1, arbitrary: anyOf(accounts).map(({ username }) => `@${username} `) },
  { weight: 1, arbitrary: anyOf(links).map((link) => `${link} `) },
  { weight: 1, arbitrary: anyOf(cashtags) },
  { weight: 1, arbitrary: anyOf(emoticons) },
);
const separator = anyOf([" ", " ", " ", " ", "", ", ", "\n", "-", "'", ". "]);
const plainText = fc
  .array(fc.tuple(piece, separator), { maxLength: 7 })
  .map((pieces) => withoutJoinersInTags(pieces.flat().join("")));
const text = fc.oneof(
  { weight: 7, arbitrary: plainText },
  { weight: 1, arbitrary: plainText.map((rest) => `RT @ann: ${rest}`) },
  { weight: 1, arbitrary: plainText.map((rest) => `“RT @bob ${rest}`) },
  { weight: 1, arbitrary: plainText.map((rest) => `RT@ann ${rest}`) },
);

const account = anyOf(accounts);
const form = anyOf(["whole", "id", "uri", "nothing"] as const);
const related = fc.record({ known: anyOf([...knownPosts, ...missingPosts]), form, account });
const media = fc
  .array(fc.record({ type: anyOf(mediaTypes), alt: maybe(text) }), { maxLength: 2 })
  .map((drawn) => drawn.map((medium): Media => ({ ...medium, url: null })));

const drawn = fc.record({
  platform: anyOf<Platform>(["bluesky", "mastodon", "x"]),
  isNumbered: fc.boolean(),
  text,
  account,
  dayOffset: fc.integer({ min: 0, max: 5 }),
  withinMs: anyOf([0, 1, dayMs - 1, 5_000]),
  seenAfterMs: anyOf([null, 0, 1_000, -5_000]),
  langs: few(languages),
  detectedLang: maybe(anyOf(languages)),
  replyTo: maybe(related),
  quotes: maybe(related),
  reposts: maybe(related, 4),
  conversation: maybe(anyOf([...knownPosts, ...missingPosts])),
  /** Whether each flag contradicts the reference, which is rare. */
  contradicts: fc.record({ reply: oneIn(8), quote: oneIn(8), repost: oneIn(8) }),
  mentioned: few(accounts),
  tags: few(tags),
  urls: few(links),
  media,
  geo: maybe(anyOf(coordinates)),
  labels: few(labels),
  sensitive: anyOf([true, false, null]),
  authorVerified: anyOf([true, false, null]),
  source: maybe(anyOf(apps)),
  counts: fc.record({
    likes: maybe(anyOf(counts)),
    reposts: maybe(anyOf(counts)),
    replies: maybe(anyOf(counts)),
    quotes: maybe(anyOf(counts)),
  }),
});

type Drawn = typeof drawn extends fc.Arbitrary<infer Value> ? Value : never;
type Related = Drawn["replyTo"];

/** `number` identifies the post; the first numbers are the known posts. */
export const generatedPost = (number: number): fc.Arbitrary<Post> =>
  drawn.map((values) => postOf(values, makeIdentity(values, number)));

type Identity = Pick<Post, "platform" | "uri" | "nativeId" | "createdMs" | "seenMs"> & {
  createdMs: number;
};

function makeIdentity(values: Drawn, number: number): Identity {
  const known = knownPosts[number];
  if (known !== undefined) return { ...identityPart(known), seenMs: null };
  const createdMs = firstDayMs + values.dayOffset * dayMs + values.withinMs;
  const seenMs = values.seenAfterMs === null ? null : createdMs + values.seenAfterMs;
  if (values.platform !== "x" || !values.isNumbered) {
    const { platform } = values;
    return { platform, uri: `uri:${number}`, nativeId: null, createdMs, seenMs };
  }
  // The time in an X ID is up to a second after the stated time.
  const nativeId = lowestId(createdMs + (number % 900)) + BigInt(number);
  return { platform: "x", uri: `https://x.com/i/status/${nativeId}`, nativeId, createdMs, seenMs };
}

const identityPart = ({ platform, uri, nativeId, createdMs }: KnownPost) => ({
  platform,
  uri,
  nativeId,
  createdMs,
});

function postOf(values: Drawn, identity: Identity): Post {
  const { platform } = identity;
  const entities = readEntities(values.text, platform);
  const inReplyTo = knownReply(referenceTo(values.replyTo, platform), values.account.username);
  const quoted = referenceTo(values.quotes, platform);
  const reposted = referenceTo(values.reposts, platform);
  return makePost({
    ...identity,
    text: values.text,
    ...values.account,
    langs: values.langs,
    detectedLang: values.langs.length === 0 ? values.detectedLang : null,
    conversationId: conversationOn(platform, values.conversation),
    inReplyTo,
    quoted,
    reposted,
    isReply: (inReplyTo !== null) !== values.contradicts.reply,
    isQuote: (quoted !== null) !== values.contradicts.quote,
    isRepost: (reposted !== null) !== values.contradicts.repost,
    hashtags: [...entities.hashtags, ...values.tags],
    mentions: [...entities.mentions, ...values.mentioned.filter(({ username }) => username !== "")],
    urls: [...entities.urls, ...values.urls],
    media: values.media,
    geo: values.geo,
    labels: values.labels,
    sensitive: values.sensitive,
    authorVerified: values.authorVerified,
    source: values.source,
    counts: values.counts,
  });
}

/** Entities as platforms and imports list them. */
function readEntities(text: string, platform: Platform) {
  const entities: { hashtags: string[]; urls: string[]; mentions: Mention[] } = {
    hashtags: [],
    urls: [],
    mentions: [],
  };
  const options = { dottedHandles: platform !== "x" };
  for (const { kind, value } of extractEntities(decodeEntities(text).toWellFormed(), options)) {
    if (kind === "hashtag") entities.hashtags.push(value);
    if (kind === "url") entities.urls.push(value);
    if (kind === "mention") entities.mentions.push({ username: value, userId: null });
  }
  return entities;
}

/** References by uri, on X by ID, in imports by either. */
function referenceTo(related: Related, platform: Platform): PostReference | null {
  if (related === null) return null;
  const { known, form } = related;
  const who = makeAccount(related);
  if (known.platform !== platform || form === "nothing") return { id: null, uri: null, ...who };
  if (form === "id" && platform === "x") return { id: known.number, uri: null, ...who };
  return { id: form === "uri" ? null : known.number, uri: known.uri, ...who };
}

function makeAccount({ known, form, account }: NonNullable<Related>) {
  const username = account.username === "" ? null : account.username;
  const [, did] = /^at:\/\/([^/]+)/.exec(known.uri) ?? [];
  return { username, userId: form === "nothing" ? account.userId : (did ?? account.userId) };
}

/** Some sources name authors by id only. */
function knownReply(to: PostReference | null, username: string): PostReference | null {
  return username === "" && to !== null && to.userId === null ? { ...to, username: null } : to;
}

function conversationOn(platform: Platform, known: KnownPost | null): string | null {
  if (known === null || known.platform !== platform) return null;
  return platform === "x" ? (known.nativeId?.toString() ?? null) : known.uri;
}

/** Whether joiners belong to a hashtag is undecided; regression cases cover it. */
function withoutJoinersInTags(text: string): string {
  return text.replace(/[#＃]\S*/g, (tag) => tag.replace(/[\u200d\ufe0f]/g, ""));
}

function oneIn(times: number): fc.Arbitrary<boolean> {
  return fc.integer({ min: 1, max: times }).map((drawn) => drawn === 1);
}
