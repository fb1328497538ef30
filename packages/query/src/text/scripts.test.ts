import { describe, expect, test } from "vitest";
import { matchesSequence } from "../../../../testkit/data/matches-sequence.ts";
import { analyzeText } from "./analyze.ts";
import { phraseSequence, querySequence } from "./sequence.ts";

type Case = readonly [query: string, text: string];

/** Each is tested as a word and as a phrase. */
const scripts: Readonly<Record<string, { finds: readonly Case[]; misses: readonly Case[] }>> = {
  Thai: {
    finds: [
      ["น้ำ", "ดื่มน้ำเย็น"],
      ["น\u0e4d\u0e49\u0e32", "น้ำ"],
      ["สวัสดี", "สวัสดีค่ะ"],
      ["ไม่ไป", "เราไม่\u200bไปแล้ว"],
      ["๒๕๖๗", "ปี ๒๕๖๗"],
      ["5555", "ตลก5555"],
      ["ๆ", "มากๆ"],
    ],
    misses: [
      ["ปา", "ป้า"],
      ["ก", "ก็"],
      ["ไปไม่", "ไม่ไป"],
    ],
  },
  Japanese: {
    finds: [
      ["東京", "今日は東京タワーへ"],
      ["タワー", "ﾀﾜｰ"],
      ["ガ", "ｶﾞ"],
      ["が", "か\u3099"],
      ["々", "人々"],
      ["株式会社", "㍿"],
      ["2024年", "２０２４年"],
      ["ラーメン", "#ラーメン食べたい"],
    ],
    misses: [
      ["は", "ば"],
      ["ハリ", "パリ"],
      ["リング", "グリーン"],
      ["つ", "っ"],
      ["タワ", "たわ"],
    ],
  },
  Chinese: {
    finds: [
      ["北京", "我在北京大学"],
      ["龍", "龍"],
      ["𠮷野家", "去𠮷野家吃饭"],
      ["𠮷", "𠮷野家"],
      ["A股", "今天Ａ股大涨"],
      ["一〇", "一〇一"],
    ],
    misses: [
      ["发", "發"],
      ["京北", "北京"],
    ],
  },
  Korean: {
    finds: [
      ["서울", "서울에서"],
      ["서울", "서울".normalize("NFD")],
      ["한국어", "한국어를 배워요"],
      ["ㅋㅋ", "ㅋㅋㅋㅋ"],
      ["ㅠㅠ", "ㅋㅠㅠ"],
    ],
    misses: [
      ["ㄱ", "가"],
      ["큐", "ㅋㅠ"],
      ["가나", "가 나"],
    ],
  },
  Arabic: {
    finds: [
      ["كتاب", "كِتَابٌ"],
      ["احمد", "أحمد"],
      ["مدرسة", "مدرسه"],
      ["علي", "على"],
      ["سلام", "ســـلام"],
      ["محمد", "\u200fمحمد\u200f"],
      ["الله", "ﷲ"],
      ["لا", "ﻻ"],
    ],
    misses: [
      ["كتاب", "الكتاب"],
      ["ب", "ت"],
    ],
  },
  Persian: {
    finds: [
      ["می‌خواهم", "میخواهم"],
      ["میخواهم", "می‌خواهم"],
    ],
    misses: [["می‌خواهم", "می خواهم"]],
  },
  Hebrew: {
    finds: [
      ["שלום", "שָׁלוֹם"],
      ["צהל", "צהל"],
      ['צה"ל', "צה״ל"],
      ["ג'ירפה", "ג׳ירפה"],
      ["שלום", "שלום-עליכם"],
      ["עליכם", "שלום־עליכם"],
    ],
    misses: [["ספר", "הספר"]],
  },
  Devanagari: {
    finds: [
      ["हिन्दी", "मैं हिन्दी बोलता हूँ"],
      ["क्\u200dष", "क्ष"],
      ["क़", "क\u093c"],
      ["२०२४", "सन २०२४।"],
    ],
    misses: [
      ["क", "कि"],
      ["हिन्द", "हिन्दी"],
    ],
  },
  Khmer: {
    finds: [
      ["ខ្មែរ", "ភាសាខ្មែរ"],
      ["ភាសាខ្មែរ", "ភាសា\u200bខ្មែរ"],
    ],
    misses: [
      ["ខ", "ខ្មែរ"],
      ["ក", "កា"],
    ],
  },
  Burmese: {
    finds: [
      ["မြန်မာ", "မြန်မာစာ"],
      ["က", "သူက ပြော"],
    ],
    misses: [["က", "ကို"]],
  },
  Lao: {
    finds: [["ລາວ", "ພາສາລາວ"]],
    misses: [["ລາ", "ລ່າ"]],
  },
  Tibetan: {
    finds: [["བོད", "བོད་ཡིག"]],
    misses: [["བོ", "བོད་"]],
  },
  Greek: {
    finds: [
      ["οδός", "ΟΔΟΣ"],
      ["ΟΔΥΣΣΕΥΣ", "Ὀδυσσεύς"],
      ["Σίσυφος", "ΣΊΣΥΦΟΣ"],
    ],
    misses: [["ο", "ω"]],
  },
  Turkish: {
    finds: [
      ["istanbul", "İSTANBUL"],
      ["İstanbul", "istanbul"],
      ["ısparta", "ISPARTA"],
      ["IĞDIR", "ığdır"],
      ["şeker", "SEKER"],
    ],
    misses: [["al", "el"]],
  },
  German: {
    finds: [
      ["straße", "STRASSE"],
      ["STRAẞE", "strasse"],
      ["Müller", "Mu\u0308ller"],
      ["muller", "Müller"],
    ],
    misses: [["mueller", "Müller"]],
  },
  Vietnamese: {
    finds: [
      ["Việt Nam", "viet nam"],
      ["tiếng", "tiếng".normalize("NFD")],
      ["Hà Nội", "HÀ NỘI"],
      ["phở", "PHỞ".normalize("NFD")],
    ],
    misses: [["tim", "tin"]],
  },
  Cyrillic: {
    finds: [
      ["ёлка", "ЕЛКА"],
      ["Київ", "КИЇВ"],
      ["йод", "и\u0306од"],
    ],
    misses: [
      ["и", "й"],
      ["і", "ї"],
    ],
  },
  Latin: {
    finds: [
      ["café", "CAFE\u0301"],
      ["naive", "naïve"],
      ["ﬁne", "fine"],
      ["ＮＡＳＡ", "nasa"],
      ["𝐍𝐀𝐒𝐀", "nasa"],
      ["data\u00adbase", "database"],
      ["zalgo", "z\u0335\u0321a\u0310l\u0334g\u0322o\u0337"],
      ["ﬃ", "ffi"],
      ["m²", "m2"],
      ["No", "№"],
    ],
    misses: [["launch", "launches"]],
  },
  apostrophes: {
    finds: [
      ["don't", "don’t"],
      ["don’t", "donʼt"],
      ["don＇t", "don't"],
      ["donʼt", "don&#39;t"],
      ["п’ять", "п'ять"],
      ["o'brien", "O`Brien"],
      ["l'été", "l’e\u0301te\u0301"],
      ["rock'n'roll", "rock ’n’ roll"],
    ],
    misses: [["dont", "don't"]],
  },
  "HTML entities": {
    finds: [
      ["AT&T", "AT&amp;T"],
      ["AT&amp;T", "AT&T"],
      ["a<b", "a&lt;b"],
    ],
    misses: [["amp", "AT&amp;T"]],
  },
  emoji: {
    finds: [
      ["👍🏽", "ok 👍🏽"],
      ["❤", "❤️"],
      ["❤️", "❤"],
      ["🇩🇪", "🇫🇷🇩🇪"],
      ["1️⃣", "1⃣"],
      ["👨‍👩‍👧‍👦", "die 👨‍👩‍👧‍👦!"],
      ["🏳️‍🌈", "🏳‍🌈"],
      ["🏴󠁧󠁢󠁳󠁣󠁴󠁿", "hej🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
      ["😂😂", "😂😂😂"],
      ["ok👍", "ok 👍"],
    ],
    misses: [
      ["👍🏽", "👍"],
      ["👍🏽", "👍🏿"],
      ["👨", "👨‍👩‍👧‍👦"],
      ["🇩🇪", "🇪🇩"],
      ["🇪🇫", "🇩🇪🇫🇷"],
      ["1", "1️⃣"],
      ["🏴", "🏴󠁧󠁢󠁳󠁣󠁴󠁿"],
    ],
  },
};

describe.each(Object.entries(scripts))("%s", (_, { finds: found, misses }) => {
  test.each(found)("the query %s finds the text %s", (query, text) => {
    expect(matchesSequence(querySequence(query), analyzeText(text).tokens)).toBe(true);
    expect(matchesSequence(phraseSequence(query), analyzeText(text).tokens)).toBe(true);
  });
  test.each(misses)("the query %s does not find the text %s", (query, text) => {
    expect(matchesSequence(querySequence(query), analyzeText(text).tokens)).toBe(false);
    expect(matchesSequence(phraseSequence(query), analyzeText(text).tokens)).toBe(false);
  });
});
