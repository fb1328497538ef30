import { lowestId, numberedId, uriNumber, xUri } from "../../src/posts/ids.ts";
import type { Platform } from "../../src/posts/post.ts";

export const dayMs = 86_400_000;
export const firstDayMs = Date.UTC(2026, 0, 1);
export const asOfMs = firstDayMs + 6 * dayMs;

/** Each is one query term. */
export const words = [
  "river",
  "Stone",
  "Café",
  "cafe\u0301",
  "naïve",
  "don't",
  "don’t",
  "state-of-the-art",
  "ann",
  "news",
  "rt",
  "or",
  "a_b",
  "x2",
  "ＦＵＬＬ",
  "ﬁne",
  "Straße",
  "ΟΔΟΣ",
  "İstanbul",
  "Ёлка",
  "йога",
  "سَلام",
  "مدرسة",
  "שָׁלוֹם",
  "東京タワー",
  "京",
  "猫",
  "か\u3099く",
  "がく",
  "ｶﾞｸ",
  "서울",
  "ㅋㅋ",
  "กรุงเทพ",
  "น้ำ",
  "ລາວ",
  "हिन्दी",
  "soft\u00adware",
  "zero\u200bwidth",
  "x2\u0301",
  "river.",
  "w".repeat(70),
];

export const emoji = ["👍", "👍🏽", "🇩🇪", "👨‍👩‍👧", "1️⃣", "❤️", "❤", "👩🏽‍🚀", "😀"];

export const collocations = [
  ["river", "stone", "cafe"],
  ["don't", "river", "x2"],
  ["東京", "タワー", "x2"],
  ["x2", "กรุงเทพ", "น้ำ"],
  ["naïve", "👍🏽", "猫", "서울"],
  ["rt", "ann", "state-of-the-art"],
  ["סלום", "שלום", "river"],
];

/** Text that breaks naive code. */
export const hostileFragments = [
  "zero\u200bwidth",
  "lang:en",
  "is:post",
  "likes>=10",
  "from:ann",
  "has:link",
  "#",
  "@",
  "$",
  '"',
  "''",
  "|",
  "~",
  "*",
  "\u0000",
  "\ud800",
  "\ufffd",
  "x\u0301",
  "\u0301",
  "don't.naïve",
  "http://news.ex/now ",
  "@n.x2 ",
  "@ann/river ",
  ".@ann ",
  ",#news ",
  "RT  @ann ",
  "RT@ann ",
  " :)) ",
  "\ufe0f",
  "\u200d",
  "?",
  "？",
  "&amp;",
  "&amp;lt;",
  "AT&amp;T",
  "&#39;",
  "RT @ann: hi",
  "so RT@ann",
  "(https://example.com/a?b=c) ",
  "example.com/what?now ",
  "ann@example.com",
  "w".repeat(120),
  "京".repeat(30),
];

export const emoticons = [":)", ":-(", ":D", ";)", "=)", ":P", ":o", ";-D", ":d", ":'("];
export const cashtags = ["$TWTR", "$fb", "$BRK.A", "$FB"];
export const tags = ["news", "Été", "日本", "x2", "news_日本"];

/** Some accounts have several names, and some share one. */
export const accounts: readonly { username: string; userId: string | null }[] = [
  { username: "ann", userId: "did:plc:ann" },
  { username: "ann.example.com", userId: "did:plc:ann" },
  { username: "ann", userId: null },
  { username: "Bob", userId: "4242" },
  { username: "bobby", userId: "4242" },
  { username: "bob", userId: "did:plc:bob" },
  { username: "4242", userId: "777" },
  { username: "carol", userId: null },
  { username: "Dora@social.example", userId: null },
  { username: "", userId: "did:plc:ann" },
];
export const users = [
  "ann",
  "ANN",
  "@ann",
  "ann.example.com",
  "did:plc:ann",
  "did:plc:bob",
  "Bob",
  "bobby",
  "4242",
  "777",
  "carol",
  "dora@social.example",
  "nobody",
];

export const links = [
  "https://www.example.com/status/20?utm_source=x",
  "https://news.example.org/a-b_c/",
  "http://t.co/AbC",
  "https://user@shop.example.com:8443/caf%C3%A9#top",
  "https://xn--bcher-kva.de/東京",
  "HTTP://EXAMPLE.COM:80/What/Now",
  "http://localhost:3000/a",
];

export const languages = ["en", "zh-CN", "zh_TW", "iw", "ja", "und", "zxx", "pt-BR", "in"];

export const coordinates = [
  { lat: 52.52, lon: 13.405 },
  { lat: 52.4, lon: 13.07 },
  { lat: 0.1, lon: 179.95 },
  { lat: 0.1, lon: -179.95 },
  { lat: 89.95, lon: 40 },
  { lat: -90, lon: 180 },
];

export const counts = [0, 1, 9, 10, 11, 99, 100, 999, 1000, 1023, 1024];

export const labels = ["spoiler", "Spoiler", "porn", "Graphic-Media", "nsfl", "!warn", "übel"];
export const apps = [
  "Twitter for iOS",
  "twitter for_ios",
  "Twitter-for-iOS",
  "Twitter  for iOS",
  "Ivory",
  "Ｉvory",
  "Mona: the app",
  "",
];
export const mediaTypes = [
  "image",
  "image/png",
  "IMAGE/JPEG",
  "photo",
  "Picture",
  "image/gif",
  "gif",
  "GIFV",
  "animated_gif",
  "video",
  "video/mp4",
  "audio",
  "unknown",
  "images",
];

export type KnownPost = {
  platform: Platform;
  uri: string;
  nativeId: bigint | null;
  createdMs: number;
  number: string | null;
  id: bigint;
};

const xNumber = (ms: number): bigint => lowestId(ms) | 7n;
const knownPost = (platform: Platform, uri: string, createdMs: number): KnownPost => ({
  platform,
  uri,
  nativeId: null,
  createdMs,
  number: /^import:[a-z]+:(\d+)/.exec(uri)?.[1] ?? null,
  id: numberedId(createdMs, uriNumber(uri)),
});
const knownXPost = (id: bigint, createdMs: number): KnownPost => ({
  platform: "x",
  uri: xUri(id),
  nativeId: id,
  createdMs,
  number: String(id),
  id,
});

const firstBlueskyPost = knownPost(
  "bluesky",
  "at://did:plc:ann/app.bsky.feed.post/3kaaaaaaaaaa2",
  firstDayMs + dayMs,
);

/** Other posts refer to these. Two share an ID, and one X ID is from before Snowflake. */
export const knownPosts: readonly KnownPost[] = [
  firstBlueskyPost,
  knownPost("bluesky", "at://did:plc:bob/app.bsky.feed.post/3kbbbbbbbbbb2", firstDayMs + 2 * dayMs),
  knownPost("mastodon", "https://social.example/users/ann/statuses/1", firstDayMs + 3 * dayMs),
  knownPost("mastodon", "import:mastodon:77@social.example", firstDayMs + 3 * dayMs),
  knownXPost(xNumber(firstDayMs + 2 * dayMs), firstDayMs + 2 * dayMs),
  knownXPost(firstBlueskyPost.id, firstBlueskyPost.createdMs),
  knownXPost(20n, Date.UTC(2006, 2, 21)),
  knownPost("x", "https://example.com/kept/7", firstDayMs + 4 * dayMs),
];

export const missingPosts: readonly KnownPost[] = [
  knownPost("bluesky", "at://did:plc:gone/app.bsky.feed.post/3kcccccccccc2", firstDayMs),
  knownPost("mastodon", "https://social.example/users/gone/statuses/2", firstDayMs),
  knownXPost(xNumber(firstDayMs), firstDayMs),
];
