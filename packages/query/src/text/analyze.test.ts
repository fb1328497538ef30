import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { analyzerVersion, analyzeText, GAP, hasQuestionMark, shortenToken } from "./analyze.ts";

const findTokens = (text: string): string => analyzeText(text).tokens.join(" ");

describe("tokens of a text", () => {
  test.each([
    ["no text", "", ""],
    ["words are lower-cased", "Hello, World!", "hello world"],
    [
      "an apostrophe separates",
      "Trump's don't won’t п’ять пʼять",
      "trump s don t won t п ять п ять",
    ],
    [
      "a hyphen separates, an underscore does not",
      "state-of-the-art snake_case",
      "state of the art snake_case",
    ],
    ["numbers are words", "3.5k in 2024", "3 5k in 2024"],
    ["HTML entities are decoded", "AT&amp;T &lt;b&gt; &quot;it&#39;s&quot;", "at t b it s"],
    ["HTML entities are decoded only once", "&amp;lt;", "lt"],
    ["other HTML entities are left as text", "&nbsp;", "nbsp"],
    ["a hashtag is indexed as a word", "go #NASA ＃宇宙飛行士", "go nasa 宇宙 宙飛 飛行 行士 士"],
    ["decomposed accents are folded", "Cafe\u0301", "cafe"],
    [
      "Japanese gives overlapping pairs and the last character",
      "東京タワー",
      "東京 京タ タワ ワー ー",
    ],
    ["a single character", "私", "私"],
    ["Japanese and Latin are separated", "今日Windows版", "今日 日 windows 版"],
    ["Korean and Latin are separated", "한국abc", "한국 국 abc"],
    ["Korean words are found without their particles", "한글은", "한글 글은 은"],
    ["isolated Hangul letters", "ㅋㅋㅠ", "ㅋㅋ ㅋㅠ ㅠ"],
    ["Thai characters include their marks", "ที่นี่", "__ที่นี่ __นี่"],
    ["the Thai vowel SARA AM is a character of its own", "น้ำ", "_น้ำ ำ"],
    ["Khmer", "ខ្មែរ", "_ខ្មែ _មែរ រ"],
    ["Arabic", "السَّلامُ عليكم", "السلام عليكم"],
    ["Hebrew with gershayim", "צה״ל שָׁלוֹם", "צה ל שלום"],
    ["Greek", "ΟΔΟΣ Αθήνα", "οδοσ αθηνα"],
    ["Hindi keeps its vowel signs", "हिन्दी", "हिन्दी"],
    ["ideographs above U+FFFF", "\u{20021}\u{20022}", "_\u{20021}\u{20022} _\u{20022}"],
    ["marks without a base character are dropped", "\u0301 a \u0e49", "a"],
  ])("a text is split into tokens: %s", (_, text, expected) => {
    expect(findTokens(text)).toBe(expected);
  });
});

describe("emoji", () => {
  test.each([
    ["with or without variation selector", "❤️❤❤︎", "❤ ❤ ❤", ""],
    ["a skin tone, found by its base too", "good 👍🏽", "good 👍🏽", "👍"],
    ["a family emoji", "👨‍👩‍👧‍👦!", "👨‍👩‍👧‍👦", ""],
    ["a joined emoji with a skin tone", "👩🏽‍🚀", "👩🏽‍🚀", "👩‍🚀"],
    ["flags without a space", "🇩🇪🇫🇷", "🇩🇪 🇫🇷", ""],
    ["a flag of a subdivision", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", "🏴󠁧󠁢󠁥󠁮󠁧󠁿", ""],
    ["keycaps, whose sigils never look like a hashtag", "1️⃣#️⃣*⃣", "1⃣ ＃⃣ ＊⃣", ""],
    ["adjacent to words", "lol😂😂ok", "lol 😂 😂 ok", ""],
    ["a trademark sign is text", "Foo™ ©2024", "footm 2024", ""],
    ["a trademark sign with the emoji variation selector", "™️", "™", ""],
    ["Japanese symbols with the emoji variation selector", "㊗️祝", "㊗ 祝", ""],
  ])("an emoji is a single token: %s", (_, text, tokens, extras) => {
    const analysis = analyzeText(text);
    expect(analysis.tokens.join(" ")).toBe(tokens);
    expect(analysis.extras.join(" ")).toBe(extras);
  });
});

describe("gaps for mentions and links", () => {
  test.each([
    ["between words", "thanks @nasa for this", `thanks ${GAP} for this`],
    ["several in a row leave one gap", "see @a @b https://t.co/x now", `see ${GAP} now`],
    ["no gap at the start or the end", "@nasa hello https://t.co/abc", "hello"],
    ["no gap where only punctuation follows", "hello @nasa!!!", "hello"],
    ["only mentions", "@a @b", ""],
    ["a repost that begins with RT", "RT @nasa: liftoff", `rt ${GAP} liftoff`],
    [
      "handles with dots or servers",
      "hi @alice.bsky.social and @bob@mastodon.social !",
      `hi ${GAP} and`,
    ],
    [
      "a sentence after a full stop without a space is not a host",
      "@nasa.Great day. done.So what",
      "great day done so what",
    ],
    ["a handle in a link", "x https://medium.com/@user/a y", `x ${GAP} y`],
    ["a host without a scheme", "on bit.ly/abc today", `on ${GAP} today`],
    ["a mention within Japanese text", "の@usernameに到着", `の ${GAP} に到 到着 着`],
    ["an email address is split into words", "mail a@example.org", "mail a example org"],
  ])("mentions and links leave a gap between tokens: %s", (_, text, expected) => {
    expect(findTokens(text)).toBe(expected);
  });
});

test("the text after a dot in a handle is a word if dotted handles are not recognised", () => {
  const text = "hi @carol.me and @dan.is fine";
  expect(findTokens(text)).toBe(`hi ${GAP} and ${GAP} fine`);
  expect(analyzeText(text, { dottedHandles: false }).tokens.join(" ")).toBe(
    `hi ${GAP} me and ${GAP} is fine`,
  );
});

describe("forged tokens", () => {
  test.each([
    [
      "facets",
      "lang:en is:post likes>=10 from:nasa #a|b",
      "lang en is post likes 10 from nasa a b",
    ],
    ["a gap", "a | b", "a b"],
    ["quotes", `"a" 'b' "c""d" NEAR(a)`, "a b c d near a"],
    ["NUL and control characters", "a\u0000b\u0007c\u001bd", "a b c d"],
    ["a lone surrogate", "a\ud800b\udc00c", "a b c"],
    ["the replacement character", "a\ufffdb", "a b"],
    ["full-width punctuation", "ｌａｎｇ：ｅｎ ＃｜＂", "lang en"],
    [
      "a shortened token",
      `${"a".repeat(40)}~0123456789abcdef`,
      `${"a".repeat(40)} 0123456789abcdef`,
    ],
  ])("a text cannot contain a token reserved for the index: %s", (_, text, expected) => {
    expect(findTokens(text)).toBe(expected);
  });
});

describe("tokens are at most 64 bytes", () => {
  test("a token of 64 bytes is unchanged, and one of 65 is shortened", () => {
    expect(shortenToken("a".repeat(64))).toBe("a".repeat(64));
    expect(shortenToken("a".repeat(65))).toMatch(/^a{40}~[0-9a-f]{16}$/);
  });
  test("long words that differ only at the end have different tokens", () => {
    const [one] = analyzeText(`${"x".repeat(10_000)}1`).tokens;
    const [other] = analyzeText(`${"x".repeat(10_000)}2`).tokens;
    expect(one).toHaveLength(57);
    expect(one).not.toBe(other);
  });
  test("a long token is cut between characters", () => {
    expect(shortenToken(`a${"é".repeat(40)}`)).toMatch(/^aé{19}~[0-9a-f]{16}$/);
  });
  test("a single character with thousands of marks is also shortened", () => {
    for (const token of analyzeText(`ก${"\u0e49".repeat(10_000)}ข`).tokens) {
      expect(Buffer.byteLength(token)).toBeLessThanOrEqual(64);
    }
  });
});

const allowedToken =
  /^(?:\||[\p{L}\p{M}\p{N}_]+(?:~[0-9a-f]{16})?|(?:[\p{Emoji}\u{e0020}-\u{e007f}＃＊]|\u200d|\u20e3)+(?:~[0-9a-f]{16})?)$/u;

test("any string yields only tokens of the documented form, and gaps only between tokens", () => {
  const unit = fc.oneof(
    fc.string({ unit: "binary", maxLength: 20 }),
    fc.string({ unit: "grapheme", maxLength: 20 }),
    fc.constantFrom(
      "@nasa",
      "https://t.co/a",
      " ",
      "#",
      "\ud83d",
      "\u200d",
      "👩🏽‍🚀",
      "#️⃣",
      "&amp;",
      "x".repeat(70),
    ),
  );
  fc.assert(
    fc.property(fc.array(unit, { maxLength: 8 }), (parts) => {
      const { tokens, extras } = analyzeText(parts.join(""));
      for (const token of [...tokens, ...extras]) {
        expect(token).toMatch(allowedToken);
        expect(token.isWellFormed()).toBe(true);
        expect(Buffer.byteLength(token)).toBeLessThanOrEqual(64);
        if (token !== GAP) expect(token).not.toMatch(/[!-/:-@[-^`{-}]/);
      }
      expect(tokens[0]).not.toBe(GAP);
      expect(tokens.at(-1)).not.toBe(GAP);
      expect(tokens.some((token, index) => token === GAP && tokens[index + 1] === GAP)).toBe(false);
      expect(extras).not.toContain(GAP);
    }),
    { numRuns: 1500 },
  );
});

describe("a text is a question if it has a question mark outside of links", () => {
  test.each([
    ["why?", true],
    ["何？", true],
    ["لماذا؟", true],
    ["really⁉", true],
    ["❓", true],
    ["γιατί\u037e", true],
    ["¿qué", true],
    ["ինչու՞", true],
    ["ለምን፧", true],
    ["what‽", true],
    ["\u{1e95f}", true],
    ["no.", false],
    ["see https://example.com/?a=b", false],
    ["see https://example.com/?a=b ?", true],
    ["have you seen https://example.com/a?", true],
    ["", false],
  ])("a text is a question only with a question mark outside of links: %s", (text, expected) => {
    expect(hasQuestionMark(text)).toBe(expected);
  });
});

test("the analyzer version is 3; it must change when tokens change", () => {
  expect(analyzerVersion).toBe(3);
});
