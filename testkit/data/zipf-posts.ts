import type { Post } from "../../src/posts/post.ts";
import { makePost } from "./make-post.ts";

const commonCharacters = Array.from(
  "の日に本人は一国た会を年が中生大で時て上行間し事出小今気山見学分女前手方高私新思車田世多同自力東下的了不我是在有他這来",
);
const rareCharacters = Array.from({ length: 2_000 }, (_, rank) =>
  String.fromCodePoint(0x5000 + rank),
);
const characters = [...new Set([...commonCharacters, ...rareCharacters])];
const languages = ["en", "ja", "de", "es", "fr"] as const;
const accountCount = 2_000;

/** `the`, then invented words. */
export const zipfWord = (rank: number): string => (rank === 0 ? "the" : `w${rank.toString(36)}`);
export const zipfCharacter = (rank: number): string => characters[rank % characters.length] ?? "の";
export const zipfAccount = (rank: number): string => `did:plc:account${rank}`;

const zipfRank = (random: () => number, size: number): number => Math.floor(size ** random()) - 1;

/** One in six is Japanese; one in a thousand repeats a word hundreds of times. */
export function* zipfPosts(count: number, random: () => number): Generator<Post, void> {
  const firstMs = Date.UTC(2026, 0, 1);
  for (let number = 0; number < count; number++) {
    const account = zipfRank(random, accountCount);
    const kind = random();
    const isReply = random() < 0.3;
    yield makePost({
      uri: `at://${zipfAccount(account)}/app.bsky.feed.post/${number}`,
      userId: zipfAccount(account),
      username: `account${account}.example.com`,
      createdMs: firstMs + number * 2_000 + Math.floor(random() * 1_000),
      text:
        kind < 0.001
          ? repetitiveText(random)
          : kind < 0.17
            ? japaneseText(random)
            : englishText(random),
      langs: [kind < 0.17 ? "ja" : (languages[zipfRank(random, languages.length)] ?? "en")],
      isReply,
      hashtags: random() < 0.1 ? [zipfWord(zipfRank(random, 2_000))] : [],
    });
  }
}

const list = (length: number, draw: () => string): string[] => Array.from({ length }, draw);

const englishText = (random: () => number): string =>
  list(8 + Math.floor(random() * 32), () => zipfWord(zipfRank(random, 20_000))).join(" ");

const japaneseText = (random: () => number): string =>
  list(20 + Math.floor(random() * 60), () =>
    zipfCharacter(zipfRank(random, characters.length)),
  ).join("");

const repetitiveText = (random: () => number): string =>
  list(300, () => zipfWord(Math.floor(random() ** 8 * 4))).join(" ");
