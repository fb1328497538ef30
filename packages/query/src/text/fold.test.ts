import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { foldWord } from "./characters.ts";

describe("texts that readers treat as equal fold to the same", () => {
  test.each([
    ["letter case", "NASA", "nasa"],
    ["an accent", "Café", "cafe"],
    ["an accent written as a separate mark", "CAFE\u0301", "cafe"],
    ["sharp s", "STRASSE", "straße"],
    ["capital sharp s", "STRAẞE", "strasse"],
    ["Greek accents and final sigma", "Ὀδυσσεύς", "ΟΔΥΣΣΕΥΣ"],
    ["Turkish dotted capital", "İSTANBUL", "istanbul"],
    ["Turkish dotless letter", "ISPARTA", "ısparta"],
    ["ё and е", "Ёлка", "елка"],
    ["half-width and full-width kana", "ﾊﾟﾘ", "パリ"],
    ["full-width letters and signs", "Ａ＃？", "a#?"],
    ["ligatures", "ﬁne", "fine"],
    ["mathematical letters", "𝐍𝐀𝐒𝐀", "nasa"],
    ["struck letters", "t\u0336e\u0336x\u0336t\u0336", "text"],
    ["Arabic vowel signs", "كِتَابٌ", "كتاب"],
    ["Arabic alef, ya and ta marbuta", "أإآا مدرسة على", "اااا مدرسه علي"],
    ["Arabic tatweel", "ســـلام", "سلام"],
    ["Hebrew points", "שָׁלוֹם", "שלום"],
    ["composed and decomposed kana", "か\u3099", "が"],
    ["composed and decomposed й", "и\u0306", "й"],
    ["decomposed Thai AM", "น้\u0e4d\u0e32", "น้ำ"],
    ["Thai AM with the tone mark in the wrong place", "น\u0e4d\u0e49\u0e32", "น้ำ"],
    ["joiners inside a word", "می\u200cخواهم", "میخواهم"],
    ["a soft hyphen", "data\u00adbase", "database"],
    ["direction marks", "\u200fشكرا\u200f", "شكرا"],
    ["a zero width space in Khmer", "ភាសា\u200bខ្មែរ", "ភាសាខ្មែរ"],
  ])("texts that readers treat as equal fold to the same: %s", (_, text, other) => {
    expect(foldWord(text)).toBe(foldWord(other));
  });
});

describe("texts that readers distinguish remain distinct", () => {
  test.each([
    ["й is not и", "й", "и"],
    ["voiced kana", "パリ", "ハリ"],
    ["voiced hiragana", "が", "か"],
    ["Thai tone marks", "ป้า", "ปา"],
    ["Devanagari vowel signs", "कि", "क"],
    ["Hangul letters and the syllable they would make", "ㅋㅠ", "큐"],
  ])("texts that readers distinguish remain distinct: %s", (_, text, other) => {
    expect(foldWord(text)).not.toBe(foldWord(other));
  });
});

test("folding removes Unicode's ignorable characters except the zero width space between words", () => {
  const unfolded: string[] = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint += 1) {
    if (codePoint >= 0xd800 && codePoint < 0xe000) continue;
    const character = String.fromCodePoint(codePoint);
    const isIgnorable = /\p{Default_Ignorable_Code_Point}/u.test(character);
    if (isIgnorable && foldWord(`a${character}b`) !== "ab") unfolded.push(codePoint.toString(16));
  }
  expect(unfolded).toEqual(["200b"]);
});

const spacedText = fc
  .array(fc.string({ unit: "binary", maxLength: 12 }), { maxLength: 6 })
  .map((parts) => parts.join(" ").toWellFormed());

test("folding a word does not depend on its neighbours", () => {
  fc.assert(
    fc.property(spacedText, (text) => {
      const words = text.split(" ");
      expect(foldWord(text)).toBe(words.map(foldWord).join(" "));
    }),
    { numRuns: 2000 },
  );
});
