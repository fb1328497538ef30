import fc from "fast-check";
import type { Platform, Post } from "../../src/posts/post.ts";
import { parseQuery } from "../../src/query/parse.ts";
import { makePost } from "./make-post.ts";

/**
 * Posts and queries drawn from the same few words, accounts, tags, days and places, so that they meet often; and each post
 * may hold what looks like a facet or breaks careless code.
 */
const dayMs = 86_400_000;
const firstDayMs = Date.UTC(2026, 0, 1);

const words = [
  "river",
  "stone",
  "Café",
  "naïve",
  "don't",
  "state-of-the-art",
  "東京タワー",
  "京",
  "猫",
  "서울",
  "กรุงเทพ",
  "привет",
  "سلام",
  "👍",
  "👍🏽",
  "🇩🇪",
  "ＦＵＬＬ",
  "rt",
  "a_b",
  "x2",
];
const hostile = [
  "lang:en",
  "is:post",
  "likes>=10",
  "from:ann",
  "#",
  "@",
  '"',
  "''",
  "|",
  "~",
  "\u0000",
  "\ud800",
  "\ufffd",
  "?",
  "？",
  "&amp;",
  "RT @ann: hi",
  "https://example.com/a?b=c",
  "w".repeat(120),
];
const accounts = ["ann", "Bob", "carol"];
const tags = ["news", "Été", "日本"];
const links = [
  "https://www.example.com/status/20?utm_source=x",
  "https://news.example.org/a-b_c/",
  "http://t.co/AbC",
];
const languages = ["en", "zh-CN", "iw", "ja"];
const places = [
  { lat: 52.52, lon: 13.405 },
  { lat: 52.4, lon: 13.07 },
  { lat: 0.1, lon: 179.95 },
  { lat: 0.1, lon: -179.95 },
];
const counts = [0, 1, 9, 10, 11, 99, 100, 999, 1000, 1023, 1024];

const words1 = fc.constantFrom(...words);
const piece = fc.oneof(
  { weight: 6, arbitrary: words1 },
  { weight: 1, arbitrary: fc.constantFrom(...hostile) },
  { weight: 1, arbitrary: fc.constantFrom(...tags).map((tag) => `#${tag}`) },
  { weight: 1, arbitrary: fc.constantFrom(...accounts).map((account) => `@${account}`) },
);
const text = fc
  .array(fc.tuple(piece, fc.constantFrom(" ", " ", " ", "", ", ", "\n")), { maxLength: 8 })
  .map((pieces) => pieces.flat().join(""));

const maybe = <Value>(value: fc.Arbitrary<Value>) => fc.option(value, { nil: null, freq: 2 });

/** A post of any platform; `number` makes its identity. */
export const generatedPost = (number: number): fc.Arbitrary<Post> =>
  fc
    .record({
      platform: fc.constantFrom<Platform>("bluesky", "mastodon", "x"),
      native: fc.boolean(),
      text,
      account: fc.constantFrom(...accounts),
      identified: fc.boolean(),
      dayOffset: fc.integer({ min: 0, max: 5 }),
      withinMs: fc.constantFrom(0, 1, dayMs - 1, 5_000),
      langs: fc.array(fc.constantFrom(...languages), { maxLength: 2 }),
      addressee: maybe(fc.constantFrom(...accounts)),
      mentioned: fc.array(fc.constantFrom(...accounts), { maxLength: 2 }),
      tags: fc.array(fc.constantFrom(...tags), { maxLength: 2 }),
      urls: fc.array(fc.constantFrom(...links), { maxLength: 2 }),
      alt: maybe(text),
      geo: maybe(fc.constantFrom(...places)),
      sensitive: fc.constantFrom(true, false, null),
      isRepost: fc.boolean(),
      likes: maybe(fc.constantFrom(...counts)),
      reposts: maybe(fc.constantFrom(...counts)),
    })
    .map((drawn) => postOf(drawn, number));

type Drawn = {
  platform: Platform;
  native: boolean;
  text: string;
  account: string;
  identified: boolean;
  dayOffset: number;
  withinMs: number;
  langs: string[];
  addressee: string | null;
  mentioned: string[];
  tags: string[];
  urls: string[];
  alt: string | null;
  geo: Post["geo"];
  sensitive: boolean | null;
  isRepost: boolean;
  likes: number | null;
  reposts: number | null;
};

function postOf(drawn: Drawn, number: number): Post {
  const createdMs = firstDayMs + drawn.dayOffset * dayMs + drawn.withinMs;
  const onX = drawn.platform === "x" && drawn.native;
  const idOf = (account: string): string | null =>
    drawn.identified ? `did:plc:${account.toLowerCase()}` : null;
  // An X number tells a time up to a second after the one claimed.
  const nativeId = onX
    ? (BigInt(createdMs + (number % 900) - 1288834974657) << 22n) + BigInt(number)
    : null;
  return makePost({
    platform: drawn.platform,
    nativeId,
    ...(onX ? {} : { uri: `uri:${number}` }),
    createdMs,
    seenMs: createdMs + 1_000,
    text: drawn.text,
    username: drawn.account,
    userId: idOf(drawn.account),
    langs: drawn.langs,
    inReplyTo:
      drawn.addressee === null
        ? null
        : { id: null, uri: null, username: drawn.addressee, userId: idOf(drawn.addressee) },
    isReply: drawn.addressee !== null,
    mentions: drawn.mentioned.map((username) => ({ username, userId: idOf(username) })),
    hashtags: drawn.tags,
    urls: drawn.urls,
    media: drawn.alt === null ? [] : [{ type: "image", url: null, alt: drawn.alt }],
    geo: drawn.geo,
    sensitive: drawn.sensitive,
    isRepost: drawn.isRepost,
    counts: { likes: drawn.likes, reposts: drawn.reposts, replies: null, quotes: null },
  });
}

const day = fc.integer({ min: 0, max: 6 }).map((n) => `2026-01-0${n + 1}`);
const some = <Value>(values: readonly Value[]) => fc.constantFrom(...values);

/** Each operator of the language under its name, so that a test can count how often each one is met. */
export const generatedLeaves: Readonly<Record<string, fc.Arbitrary<string>>> = {
  word: words1,
  phrase: fc
    .array(fc.oneof({ weight: 5, arbitrary: words1 }, { weight: 1, arbitrary: fc.constant("*") }), {
      minLength: 1,
      maxLength: 3,
    })
    .map((parts) => `"${parts.join(" ")}"`),
  hashtag: some(tags).map((tag) => `#${tag}`),
  mention: some(accounts).map((account) => `@${account}`),
  from: some([...accounts, "did:plc:ann", "nobody"]).map((account) => `from:${account}`),
  to: some(accounts).map((account) => `to:${account}`),
  lang: some([...languages, "zh", "he", "und"]).map((code) => `lang:${code}`),
  since: day.map((date) => `since:${date}`),
  until: day.map((date) => `until:${date}`),
  retweets: fc.constant("filter:retweets"),
  safe: fc.constant("filter:safe"),
  likes: some(counts).map((count) => `min_faves:${count}`),
  reposts: some(counts).map((count) => `min_retweets:${count}`),
  geocode: fc
    .tuple(some(places), some(["1km", "30km", "50mi", "3000km"]))
    .map(([{ lat, lon }, radius]) => `geocode:${lat},${lon},${radius}`),
  url: some(["example.com", '"https://www.example.com/status/20"', "t.co", "status/20", "a-b"]).map(
    (link) => `url:${link}`,
  ),
  question: fc.constant("?"),
};

const leaf = fc.oneof(...Object.values(generatedLeaves));

/** A query of up to three levels; those that the parser refuses (all negated into nothing, say) are not drawn. */
export const generatedQuery: fc.Arbitrary<string> = fc
  .letrec<{ query: string }>((tie) => ({
    query: fc.oneof(
      { maxDepth: 3, withCrossShrink: true },
      { weight: 5, arbitrary: leaf },
      {
        weight: 2,
        arbitrary: fc
          .array(tie("query"), { minLength: 2, maxLength: 3 })
          .map((parts) => `(${parts.join(" ")})`),
      },
      {
        weight: 2,
        arbitrary: fc
          .array(tie("query"), { minLength: 2, maxLength: 3 })
          .map((parts) => `(${parts.join(" OR ")})`),
      },
      { weight: 2, arbitrary: tie("query").map((part) => `-${part}`) },
    ),
  }))
  .query.filter(parses);

function parses(query: string): boolean {
  try {
    parseQuery(query);
    return true;
  } catch {
    return false;
  }
}
