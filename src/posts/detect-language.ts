/**
 * A wrong language hides a post from its readers, so uncertain texts stay undetected. `eld` (small)
 * was the most accurate of five libraries on 77,273 short posts (80.5 %, followed by 72.9 %;
 * bench/languages.ts). It takes 60 µs per post and 140 MB.
 */

import {
  decodeEntities,
  findLinks,
  findMentions,
  isAscii,
  startingOutside,
} from "@earshot/query/text";
import { eld } from "eld/small";

const scriptLanguages: Readonly<Record<string, string>> = {
  Thai: "th",
  Hangul: "ko",
  Hebrew: "he",
  Greek: "el",
  Georgian: "ka",
  Armenian: "hy",
  Tamil: "ta",
  Telugu: "te",
  Kannada: "kn",
  Malayalam: "ml",
  Gujarati: "gu",
  Gurmukhi: "pa",
  Oriya: "or",
  Sinhala: "si",
  Lao: "lo",
  Khmer: "km",
  Myanmar: "my",
  Tibetan: "bo",
  Thaana: "dv",
};
const scripts = Object.entries(scriptLanguages).map(([script, language]) => ({
  letters: new RegExp(`\\p{Script=${script}}`, "gu"),
  language,
}));
const anyScript = new RegExp(
  `[${Object.keys(scriptLanguages)
    .map((script) => `\\p{Script=${script}}`)
    .join("")}]`,
  "u",
);
const hanOrKana = /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/u;
const kana = /[\p{Script=Hiragana}\p{Script=Katakana}]/gu;
const han = /\p{Script=Han}/gu;

/** The detector cannot distinguish Malay from Indonesian, which has many more writers. */
const excludedLanguages = new Set(["ms"]);

const maxInputLength = 2_000;
const maxConsideredLength = 80;
const minLetters = 8;
const minScriptLetters = 4;
/**
 * Measured with bench/languages.ts. The lead required over the second language falls with the
 * square root of the letter count. Languages in non-Latin scripts score closer together.
 */
const minScore = 0.6;
const minLead = 0.12;
const minNonLatinLead = 0.03;

const nonWordCharacters = /[^\p{L}\p{M}'’]+/gu;
const nonAsciiWordCharacters = /[^A-Za-z']+/g;
const letterSeparators = /[ '’]+/g;
const latinOnly = /^[ -\u024f\u1e00-\u1eff’]*$/;
const latin = /\p{Script=Latin}/gu;
const repostMark = /^["“]?RT(?=\s*[@＠])/i;

/** A BCP 47 primary tag (`en`, `ja`, `no`), or null. Ignores links, mentions and hashtag signs. */
export function detectLanguage(text: string): string | null {
  const words = parseWords(text);
  const letters = words.replace(letterSeparators, "").length;
  if (letters < minScriptLetters) return null;
  const isLatin = latinOnly.test(words);
  const scriptLanguage = isLatin ? null : languageByScript(words, letters);
  return scriptLanguage ?? languageByLetters(words, letters, isLatin);
}

function parseWords(text: string): string {
  const input = decodeEntities(text.slice(0, maxInputLength)).toWellFormed();
  const links = findLinks(input);
  const mentions = startingOutside(findMentions(input, { dottedHandles: true }), links);
  let remainder = input.replace(repostMark, (mark) => " ".repeat(mark.length));
  for (const { start, end } of [...links, ...mentions]) {
    remainder = remainder.slice(0, start) + " ".repeat(end - start) + remainder.slice(end);
  }
  return remainder
    .replace(isAscii(remainder) ? nonAsciiWordCharacters : nonWordCharacters, " ")
    .trim()
    .slice(0, maxConsideredLength)
    .toWellFormed();
}

function languageByScript(words: string, letters: number): string | null {
  if (anyScript.test(words)) {
    const script = scripts.find((other) => count(words, other.letters) * 2 > letters);
    if (script !== undefined) return script.language;
  }
  if (!hanOrKana.test(words)) return null;
  const kanaCount = count(words, kana);
  const hanCount = count(words, han);
  if ((hanCount + kanaCount) * 2 <= letters) return null;
  if (kanaCount > 0) return kanaCount * 8 >= hanCount ? "ja" : null;
  // Short Japanese words may lack kana, but sentences do not.
  return hanCount >= minLetters ? "zh" : null;
}

function languageByLetters(words: string, letters: number, isLatin: boolean): string | null {
  if (letters < minLetters) return null;
  const found = eld.detect(words);
  if (found.language === "" || excludedLanguages.has(found.language)) return null;
  const [best = 0, next = 0] = Object.values(found.getScores());
  const lead = (best - next) * Math.sqrt(letters);
  const isMostlyLatin = isLatin || count(words, latin) * 2 > letters;
  if (!isMostlyLatin) return lead < minNonLatinLead ? null : found.language;
  return best < minScore || lead < minLead ? null : found.language;
}

function count(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}
