import fc from "fast-check";
import { lowestId } from "../../src/posts/ids.ts";
import {
  apps,
  cashtags,
  collocations,
  coordinates,
  counts,
  dayMs,
  emoji,
  emoticons,
  firstDayMs,
  type KnownPost,
  knownPosts,
  labels,
  languages,
  missingPosts,
  tags,
  users,
  words,
} from "./vocabulary.ts";

/** Covers every operator of docs/query-language.md. */
const anyOf = <Value>(values: readonly Value[]): fc.Arbitrary<Value> => fc.constantFrom(...values);

const anyName = (...names: readonly string[]): fc.Arbitrary<string> =>
  anyOf([...names, ...names, ...names.map((name) => name.toUpperCase())]);

const nameWithValue = (
  values: fc.Arbitrary<string | number | bigint>,
  ...names: readonly string[]
): fc.Arbitrary<string> =>
  fc.tuple(anyName(...names), values).map(([name, value]) => `${name}:${value}`);

const property = (...names: readonly string[]): fc.Arbitrary<string> =>
  fc
    .tuple(anyName("filter", "is", "has"), anyName(...names))
    .map(([operator, name]) => `${operator}:${name}`);

const quotes = anyOf([
  ['"', '"'],
  ['"', '"'],
  ["“", "”"],
  ["„", "“"],
  ["«", "»"],
  ["「", "」"],
] as const);
const inQuotes = (content: fc.Arbitrary<string>): fc.Arbitrary<string> =>
  fc.tuple(quotes, content).map(([[open, close], inside]) => `${open}${inside}${close}`);

const term = anyOf([...words, ...emoji]);
const collocationPart = fc
  .tuple(anyOf(collocations), fc.nat(2), fc.integer({ min: 2, max: 3 }))
  .map(([parts, from, length]) => parts.slice(from, from + length).join(" "));

const day = fc.integer({ min: 0, max: 6 }).map((n) => `2026-01-0${n + 1}`);
const moment = fc.oneof(
  { weight: 3, arbitrary: day },
  {
    weight: 1,
    arbitrary: fc
      .tuple(day, anyOf(["_00:00:05_UTC", "T00:00:05Z", "_01:00:00_CET", "T02:00:00+02:00"]))
      .map((parts) => parts.join("")),
  },
);
const seconds = fc
  .tuple(fc.integer({ min: 0, max: 6 }), anyOf([-1, 0, 1, 5]))
  .map(([days, after]) => (firstDayMs + days * dayMs) / 1_000 + after);

const mentioned = [...knownPosts, ...missingPosts];
const id = fc.oneof(
  { weight: 3, arbitrary: fc.tuple(anyOf(mentioned), anyOf([-1n, 0n, 0n, 1n])).map(shiftId) },
  { weight: 2, arbitrary: fc.integer({ min: 0, max: 5 }).map(firstDayId) },
  { weight: 1, arbitrary: anyOf([0n, 2n ** 63n - 1n]) },
);
const post = fc.oneof(
  { weight: 2, arbitrary: anyOf(mentioned).map((known) => String(known.id)) },
  { weight: 2, arbitrary: anyOf(mentioned).map(({ uri }) => `"${uri}"`) },
  { weight: 1, arbitrary: anyOf(mentioned).map(formatPage) },
);

const domains = [
  "example.com",
  "EXAMPLE.com",
  "news.example.org",
  "example.org",
  "shop.example.com",
  "bücher.de",
  "xn--bcher-kva.de",
  "t.co",
  "localhost",
  "ample.com",
];
const linkParts = [
  "example.com",
  '"https://www.example.com/status/20"',
  "t.co",
  "status/20",
  "a-b",
  '"café"',
  "what/now",
  '"bücher.de/東京"',
  "a?b=c",
  "localhost:3000",
];

/** Named so that a test can count each. */
export const generatedLeaves: Readonly<Record<string, fc.Arbitrary<string>>> = {
  word: term,
  "+word": anyOf([...words, "OR", "AND", "NOT"]).map((word) => `+${word}`),
  phrase: inQuotes(
    fc.oneof(
      { weight: 3, arbitrary: collocationPart },
      { weight: 1, arbitrary: fc.tuple(anyOf(words), term).map(joinWithSpaces) },
      { weight: 1, arbitrary: anyOf([...words, ...emoji]) },
      {
        weight: 1,
        arbitrary: anyOf([
          "@ann",
          "@ann river",
          "river http://t.co/AbC",
          "don't.naïve",
          "https://www.example.com/status/20",
          "news.",
        ]),
      },
      { weight: 1, arbitrary: anyOf(["OR", "lang:en", "rt ann", "AT&T", "a - b", "AT&amp;T"]) },
    ),
  ),
  "phrase with *": inQuotes(
    fc.oneof(
      anyOf(collocations).map((parts) => parts.with(1, "*").join(" ")),
      fc.tuple(term, anyOf(["*", "* *"]), term).map(joinWithSpaces),
      collocationPart.map((piece) => `* ${piece} *`),
    ),
  ),
  hashtag: fc
    .tuple(
      anyOf(["#", "#", "＃", ",#", "’#"]),
      anyOf([...tags, "NEWS", "ÉTÉ", "news's", "news,#x2", "x2."]),
    )
    .map((parts) => parts.join("")),
  cashtag: anyOf([...cashtags, "$twtr", "$brk.a", "$fb's"]),
  mention: fc
    .tuple(anyOf(["", "", "", ".", "…"]), anyOf(users), anyOf(["", "", "'s"]))
    .map(([before, user, after]) => `${before}@${user.replace(/^@/, "")}${after}`),
  question: anyOf(["?", "？"]),
  emoticon: anyOf([...emoticons, ":-)", "=P", ":’)"]),
  from: nameWithValue(anyOf(users), "from"),
  to: nameWithValue(anyOf(users), "to"),
  lang: nameWithValue(anyOf([...languages, "zh", "ZH", "he", "id", "pt"]), "lang"),
  since: nameWithValue(moment, "since"),
  until: nameWithValue(moment, "until"),
  since_time: nameWithValue(seconds, "since_time"),
  until_time: nameWithValue(seconds, "until_time"),
  within_time: nameWithValue(
    anyOf(["1d", "2d", "4d", "6d", "36h", "7200m", "432000s"]),
    "within_time",
  ),
  since_id: nameWithValue(id, "since_id"),
  max_id: nameWithValue(id, "max_id"),
  min_faves: nameWithValue(anyOf(counts), "min_faves", "min_likes"),
  min_retweets: nameWithValue(anyOf(counts), "min_retweets", "min_reposts"),
  min_replies: nameWithValue(anyOf(counts), "min_replies"),
  min_quotes: nameWithValue(anyOf(counts), "min_quotes"),
  "filter:retweets": property("retweets", "retweet"),
  "filter:nativeretweets": property("nativeretweets", "nativeretweet"),
  "filter:replies": property("replies", "reply"),
  "filter:self_threads": property("self_threads", "self_thread"),
  "filter:quote": property("quote", "quotes"),
  "filter:safe": property("safe"),
  "filter:verified": property("verified"),
  "filter:links": property("links", "link"),
  "filter:media": property("media"),
  "filter:images": property("images", "image", "twimg"),
  "filter:videos": property("videos", "video", "native_video", "consumer_video"),
  "filter:hashtags": property("hashtags", "hashtag"),
  "filter:mentions": property("mentions", "mention"),
  "filter:cashtags": property("cashtags", "cashtag"),
  "filter:geo": property("geo"),
  "filter:has_engagement": property("has_engagement", "engagement"),
  exclude: nameWithValue(
    anyOf(["retweets", "nativeretweets", "replies", "quotes", "links", "media", "safe", "geo"]),
    "exclude",
  ),
  conversation_id: nameWithValue(post, "conversation_id"),
  in_reply_to: nameWithValue(post, "in_reply_to", "in_reply_to_tweet_id", "in_reply_to_status_id"),
  quoted: nameWithValue(post, "quoted", "quoted_tweet_id"),
  quoted_user_id: nameWithValue(anyOf(users), "quoted_user_id", "quoted_user"),
  retweets_of: nameWithValue(anyOf(users), "retweets_of", "retweets_of_user_id"),
  retweets_of_tweet_id: nameWithValue(post, "retweets_of_tweet_id"),
  geocode: fc
    .tuple(
      anyName("geocode"),
      anyOf(coordinates),
      anyOf(["1km", "30km", "50mi", "3000km", "20000KM"]),
    )
    .map(([name, { lat, lon }, radius]) => `${name}:${lat},${lon},${radius}`),
  url: nameWithValue(anyOf(linkParts), "url"),
  "bare link": anyOf([
    "https://www.example.com/status/20",
    "example.com",
    "news.example.org/a-b_c",
    '"http://t.co/AbC"',
    "Example.com/what/now",
  ]),
  domain: nameWithValue(anyOf(domains), "domain"),
  platform: nameWithValue(anyOf(["bluesky", "mastodon", "x", "X"]), "platform"),
  label: nameWithValue(anyOf([...labels, "SPOILER", "graphic-media"]), "label"),
  source: fc
    .tuple(
      anyName("source"),
      anyOf([
        ...apps.filter((app) => app !== "").map((app) => `"${app}"`),
        "Twitter_for_iOS",
        "twitter-for-ios",
        "ivory",
      ]),
    )
    .map(([name, app]) => `${name}:${app}`),
};

export type DrawnQuery =
  | { kind: "leaf"; operator: string; text: string }
  | { kind: "not"; sign: string; child: DrawnQuery }
  /** An open group has no parentheses. */
  | { kind: "group"; separator: string; isOpen: boolean; parts: readonly DrawnQuery[] };

const leaf: fc.Arbitrary<DrawnQuery> = fc.oneof(
  ...Object.entries(generatedLeaves).map(([operator, texts]) =>
    texts.map((text): DrawnQuery => ({ kind: "leaf", operator, text })),
  ),
);

export const drawnQuery: fc.Arbitrary<DrawnQuery> = fc.letrec<{ query: DrawnQuery }>((tie) => ({
  query: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    { weight: 5, arbitrary: leaf },
    { weight: 4, arbitrary: group(tie("query")) },
    {
      weight: 2,
      arbitrary: fc
        .tuple(anyOf(["-", "-", "NOT ", "--"]), tie("query"))
        .map(([sign, child]): DrawnQuery => ({ kind: "not", sign, child })),
    },
  ),
})).query;

export const generatedQuery: fc.Arbitrary<string> = drawnQuery.map(generatedQueryText);

function group(part: fc.Arbitrary<DrawnQuery>): fc.Arbitrary<DrawnQuery> {
  return fc
    .record({
      separator: anyOf([" ", " ", " AND ", " OR ", " OR "]),
      isOpen: fc.boolean(),
      parts: fc.array(part, { minLength: 2, maxLength: 3 }),
    })
    .map((values): DrawnQuery => ({ kind: "group", ...values }));
}

export function generatedQueryText(query: DrawnQuery): string {
  return query.kind === "group" ? inside(query) : partText(query, "");
}

export function queryLeaves(query: DrawnQuery): { operator: string; text: string }[] {
  if (query.kind === "leaf") return [query];
  return query.kind === "not" ? queryLeaves(query.child) : query.parts.flatMap(queryLeaves);
}

/** Parentheses may be omitted where they change nothing. */
function partText(query: DrawnQuery, separator: string): string {
  if (query.kind === "leaf") return query.text;
  if (query.kind === "not") return `${query.sign}${partText(query.child, "-")}`;
  const canOmit = separator === " " || separator === " AND " || separator === query.separator;
  const text = inside(query);
  // A parenthesis after an emoticon would become part of it.
  return query.isOpen && canOmit ? text : `(${text} )`;
}

const inside = ({ separator, parts }: DrawnQuery & { kind: "group" }): string =>
  parts.map((part) => partText(part, separator)).join(separator);

function joinWithSpaces(parts: readonly string[]): string {
  return parts.join(" ");
}

function shiftId([{ id }, by]: [KnownPost, bigint]): bigint {
  return id + by;
}

function firstDayId(days: number): bigint {
  return lowestId(firstDayMs + days * dayMs);
}

function formatPage({ platform, uri, nativeId, id }: KnownPost): string {
  if (nativeId !== null) return `https://twitter.com/ann/status/${nativeId}?s=20`;
  if (platform !== "bluesky") return String(id);
  const [, account = "", key = ""] = /^at:\/\/([^/]+)\/[^/]+\/(.+)$/.exec(uri) ?? [];
  const handle = account === "did:plc:ann" ? "ann.example.com" : account;
  return `https://bsky.app/profile/${handle}/post/${key}`;
}
