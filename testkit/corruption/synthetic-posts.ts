import { seededRandom } from "../../bench/measure.ts";
import { lowestId, xUri } from "../../src/posts/ids.ts";
import type { Platform, Post } from "../../src/posts/post.ts";
import { makePost } from "../data/make-post.ts";

export const firstMs = Date.UTC(2026, 0, 1);
export const stepMs = 300_000;

export const authors = ["ann", "bob", "carol", "dave", "erin"] as const;

const commonWords = [
  "river",
  "stone",
  "glacier",
  "harbor",
  "meadow",
  "lantern",
  "copper",
  "winter",
];
const rareWords = Array.from({ length: 40 }, (_, n) => `rare${n}`);
const tags = ["news", "comet", "été", "east"];
const texts = ["river stone cafe", "copper lantern", "👍🏽 猫 서울", "state-of-the-art winter"];

export const syntheticUri = (platform: Platform, n: number): string =>
  platform === "x"
    ? xUri(xId(n))
    : platform === "bluesky"
      ? `at://did:plc:${getAuthor(n)}/app.bsky.feed.post/key${n}`
      : `https://social.example/users/${getAuthor(n)}/statuses/${n}`;

const getAuthor = (n: number): string => authors[(n * 7) % authors.length] ?? "ann";
const xId = (n: number): bigint => lowestId(firstMs + n * stepMs) + 5n;

/** `edition` selects text and revision. */
export function syntheticPost(platform: Platform, n: number, edition = 0): Post {
  const random = seededRandom(n * 31 + edition * 7 + platform.length);
  const pick = <Value>(values: readonly Value[]): Value =>
    values[Math.floor(random() ** 2 * values.length)] as Value;
  const author = getAuthor(n);
  const createdMs = firstMs + n * stepMs + (platform === "x" ? 0 : (n % 50) * 1_000);
  const words = Array.from({ length: 4 + (n % 9) }, () => pick(commonWords));
  if (n % 11 === 0) words.push(rareWords[n % rareWords.length] ?? "rare0");
  if (n % 4 === 0) words.push(texts[(n / 4) % texts.length] ?? "");
  // Records that need overflow pages.
  if (n % 97 === 0) words.push(...Array.from({ length: 1_200 }, () => pick(commonWords)));
  const hashtags = n % 3 === 0 ? [pick(tags)] : [];
  const mentions =
    n % 5 === 0 ? [{ username: "bob.example", userId: syntheticAccount(platform, "bob") }] : [];
  const isReply = n % 6 === 5;
  const parent = syntheticUri(platform, n - 1);
  const parentId = platform === "x" ? String(xId(n - 1)) : null;
  return makePost({
    platform,
    uri: syntheticUri(platform, n),
    nativeId: platform === "x" ? xId(n) : null,
    username: `${author}.example`,
    userId: syntheticAccount(platform, author),
    authorName: `${author} the author`,
    createdMs,
    seenMs: createdMs,
    createdAt: new Date(createdMs).toISOString(),
    text: [
      ...(edition > 0 ? [`edition${edition}`] : []),
      ...words,
      ...hashtags.map((tag) => `#${tag}`),
      ...mentions.map(({ username }) => `@${username}`),
    ].join(" "),
    hashtags,
    mentions,
    langs: [n % 7 === 0 ? "de" : "en"],
    urls: n % 8 === 0 ? [`https://www.example.com/path/${n % 16}`] : [],
    media: n % 10 === 0 ? [{ type: "image", url: null, alt: "a picture" }] : [],
    geo: n % 13 === 0 ? { lat: 52.5, lon: 13.4 } : null,
    labels: n % 17 === 0 ? ["spoiler"] : [],
    isReply,
    inReplyTo: isReply ? { id: parentId, uri: parent, username: null, userId: null } : null,
    conversationId: isReply ? (parentId ?? parent) : null,
    source: n % 9 === 0 ? "Ivory" : null,
    counts: { likes: (n * 37) % 150, reposts: n % 12, replies: n % 4, quotes: 0 },
    origin: n % 2 === 0 ? "import" : "stream",
    revision: platform === "x" ? "" : `r${edition}`,
  });
}

export const syntheticAccount = (platform: Platform, author: string): string =>
  platform === "bluesky"
    ? `did:plc:${author}`
    : platform === "x"
      ? String(1_000 + authors.indexOf(author as (typeof authors)[number]))
      : `https://social.example/users/${author}`;
