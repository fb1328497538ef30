import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { matchesSequence } from "../../../../testkit/data/matches-sequence.ts";
import { analyzeText } from "./analyze.ts";
import { findMentions } from "./entities.ts";
import { findLinks } from "./links.ts";
import { phraseSequence, querySequence, type SequenceElement } from "./sequence.ts";

/** Writes `日*` for a prefix, and `*` for any token. */
function formatElements(elements: readonly SequenceElement[]): string {
  return elements.map(formatElement).join(" ");
}

function formatElement(element: SequenceElement): string {
  if (element.kind === "any") return "*";
  return element.kind === "prefix" ? `${element.prefix}*` : element.token;
}

describe("the sequence of a word", () => {
  test.each([
    ["a word", "NASA", "nasa"],
    ["a hyphenated word", "state-of-the-art", "state of the art"],
    ["an apostrophe", "don't", "don t"],
    ["accents", "Café", "cafe"],
    ["two characters", "東京", "東京"],
    ["a run of characters becomes its pairs", "東京タワー", "東京 京タ タワ ワー"],
    ["one character matches any token that begins with it", "東", "東*"],
    ["a run of characters before something else ends there", "今日Windows", "今日 日 windows"],
    ["a single character before something else", "版2", "版 2"],
    ["a single character at the end", "第2版", "第 2 版*"],
    ["a single Thai character with its marks", "ที่", "__ที่*"],
    ["Korean", "한글", "한글"],
    ["an emoji", "👍🏽", "👍🏽"],
    ["a keycap", "#️⃣", "＃⃣"],
    ["a handle is words", "@alice.bsky.social", "alice bsky social"],
    ["a link is words", "https://t.co/x", "https t co x"],
    ["an HTML entity", "AT&amp;T", "at t"],
    ["only punctuation", "?", ""],
    ["no text", "", ""],
    ["a lone surrogate", "\ud800", ""],
    ["a star within a word is ignored", "*", ""],
  ])("the sequence of a word has the expected elements: %s", (_, text, expected) => {
    expect(formatElements(querySequence(text))).toBe(expected);
  });
  test("a long word in a query is shortened in the same way as in documents", () => {
    const word = "x".repeat(10_000);
    expect(querySequence(word)).toEqual([{ kind: "token", token: analyzeText(word).tokens[0] }]);
  });
});

describe("the sequence of a phrase", () => {
  test.each([
    ["words side by side", "Love  Snow", "love snow"],
    ["sigils do not count", "#nasa $tsla @esa", "nasa tsla esa"],
    ["a star is one token", "a * b", "a * b"],
    ["two stars are two tokens", "a * * b", "a * * b"],
    ["stars at the ends have no effect", "* a *", "a"],
    ["stars next to no word have no effect", "* ? a", "a"],
    ["only stars", "* *", ""],
    ["a star attached to a word is punctuation", "a* b", "a b"],
    ["characters before a star may continue", "今日 * 雨", "今日 * * 雨*"],
    ["one character before a star may continue", "今 * 雨 a", "今* * 雨 a"],
    ["an emoji with skin tone", "good 👍🏽 job", "good 👍🏽 job"],
    ["an unreadable phrase", "?!", ""],
  ])("the sequence of a phrase has the expected elements: %s", (_, text, expected) => {
    expect(formatElements(phraseSequence(text))).toBe(expected);
  });
});

describe("matching", () => {
  test.each([
    ["東京", "今日は東京タワーに"],
    ["大学", "北京大学生前来"],
    ["ー", "東京タワーに"],
    ["เชียงใหม่", "ไปเชียงใหม่กัน"],
    ["น้ำ", "ดื่มน้ำเย็น"],
    ["한글", "한글은"],
    ["ㅋㅋ", "하하ㅋㅋㅠㅠ"],
    ["ก", "มก"],
    ["ก", "กข"],
    ["ก่", "ก่ข"],
    ["က", "ကမ"],
    ["\u{20021}", "\u{20021}\u{20022}"],
    ["trump", "Trump's"],
    ["nasa", "#NASA"],
    ["CAFÉ", "cafe"],
    ["❤", "I ❤️ you"],
    ["AT&T", "AT&amp;T"],
  ])("the query %s finds the text %s", (query, text) => {
    expect(matchesSequence(querySequence(query), analyzeText(text).tokens)).toBe(true);
  });
  test.each([
    ["パリ", "ハリ"],
    ["リング", "グリーン"],
    ["本田", "本地"],
    ["ก", "ก่อน"],
    ["ที", "ที่นี่"],
    ["က", "ကို"],
    ["កខ", "កាខ"],
    ["あ", "あ\u3099"],
    ["love", "glove"],
    ["nasa", "hello @nasa"],
    ["example", "see https://example.com"],
  ])("the query %s does not find the text %s", (query, text) => {
    expect(matchesSequence(querySequence(query), analyzeText(text).tokens)).toBe(false);
  });
});

const fragment = fc.oneof(
  fc.string({ unit: "binary", maxLength: 6 }),
  fc.string({ unit: "grapheme", maxLength: 6 }),
  fc.constantFrom(
    " ",
    "\n",
    "\u3000",
    "、",
    "'",
    "-",
    "＃",
    "👍🏽",
    "🇩🇪",
    "❤️",
    "1️⃣",
    "@nasa",
    "https://t.co/ab?c",
  ),
  fc.constantFrom(
    "東京タワー",
    "ｶﾞｷﾞ",
    "か\u3099き",
    "น้ำใจ",
    "ภาษาไทย",
    "ខ្មែរ",
    "မြန်မာ",
    "ລາວ",
    "한국어",
    "ㅋㅋㅠ",
    "ㄱ",
  ),
  fc.constantFrom(
    "ΟΔΟΣ",
    "İI",
    "Straße",
    "кафе\u0301",
    "سـلامٌ",
    "שָׁלוֹם",
    "हिन्दी",
    "e\u0301",
    "\u200d",
    "\u200b",
    "\ufe0f",
    "ﬁ",
  ),
);
const anyText = fc.array(fragment, { maxLength: 12 }).map((parts) => parts.join("").toWellFormed());

test("every word of a text outside of mentions and links finds the text", () => {
  let wordCount = 0;
  fc.assert(
    fc.property(anyText, (text) => {
      const hidden = [...findLinks(text), ...findMentions(text, { dottedHandles: true })];
      for (const { 0: word, index } of text.matchAll(/\S+/gu)) {
        const isHidden = hidden.some(
          ({ start, end }) => start < index + word.length && index < end,
        );
        const sequence = querySequence(word);
        if (isHidden || sequence.length === 0) continue;
        wordCount += 1;
        expect(
          matchesSequence(sequence, analyzeText(text).tokens),
          JSON.stringify({ text, word }),
        ).toBe(true);
      }
    }),
    { numRuns: 5000 },
  );
  expect(wordCount).toBeGreaterThan(2500);
});

const spacelessRun = fc
  .array(
    fc.constantFrom(
      ..."東京都学校ひらがなカターナ々한국어글ㅋㅠ",
      "が",
      "ที่",
      "น้",
      "ำ",
      "ไ",
      "ម",
      "ែ",
      "ម្",
      "မြ",
      "န်",
      "ລ",
      "\u{20021}",
    ),
    { minLength: 1, maxLength: 12 },
  )
  .filter((characters) => !/^\p{M}/u.test(characters[0] ?? ""));

test("every substring in a script without spaces finds the text", () => {
  fc.assert(
    fc.property(
      spacelessRun,
      fc.nat(11),
      fc.nat(11),
      fc.constantFrom(
        ["", ""],
        ["abc", "12"],
        ["。", "！"],
        ["@nasa ", " https://t.co/x"],
        ["👍", "👍🏽"],
      ),
      (characters, a, b, [before, after]) => {
        const start = Math.min(a, b) % characters.length;
        const stretch = characters.slice(start, Math.max(a, b) + 1).join("");
        const next = characters[Math.max(a, b) + 1] ?? "";
        // Substrings start and end between characters.
        fc.pre(stretch !== "" && !/^\p{M}/u.test(stretch) && !/^\p{M}/u.test(next));
        const text = `${before}${characters.join("")}${after}`;
        expect(
          matchesSequence(querySequence(stretch), analyzeText(text).tokens),
          JSON.stringify({ text, stretch }),
        ).toBe(true);
      },
    ),
    { numRuns: 3000 },
  );
});
