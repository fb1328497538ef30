/**
 * Letters, digits and `_` make words; scripts without spaces (and Hangul, whose particles attach to
 * words) are split into characters; marks belong to the preceding character; everything else
 * separates.
 */
const separator = 0;
export const wordClass = 1;
export const spaceless = 2;
export const mark = 3;
/** Half of a character: use `codePointClass` instead. */
export const surrogate = 4;

const letters = "\\p{L}\\p{N}_";
/** They work like apostrophes, although Unicode classifies them as letters. */
const apostrophes = "\\u02b9-\\u02bf";
/** The last code points are Japanese, although Unicode assigns them no script. */
const spacelessScripts = `${["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => `\\p{Script=${script}}`)
  .join("")}\\u3006\\u3031-\\u3035\\u303c\\u30fc`;

const patterns: readonly (readonly [number, RegExp])[] = [
  [mark, /\p{M}+/gu],
  [spaceless, new RegExp(`[[${letters}]&&[${spacelessScripts}]]+`, "gv")],
  [wordClass, new RegExp(`[[${letters}]--[${spacelessScripts}${apostrophes}]]+`, "gv")],
];

let classes: Uint8Array | null = null;

/** Made on first use, so that it does not delay startup. */
export function codeUnitClass(unit: number): number {
  classes ??= unitTable(patterns, surrogate);
  return classes[unit] ?? separator;
}

export function codePointClass(codePoint: number): number {
  if (codePoint < 0x10000) return codeUnitClass(codePoint);
  const character = String.fromCodePoint(codePoint);
  return patterns.find(([, pattern]) => character.search(pattern) === 0)?.[0] ?? separator;
}

/** The sum, for each UTF-16 code unit, of the numbers of matching patterns. */
export function unitTable(
  patterns: readonly (readonly [number, RegExp])[],
  surrogateValue: number,
): Uint8Array {
  const table = new Uint8Array(0x10000);
  // Surrogates become spaces, so that each index equals its code unit.
  const allUnits = new Uint16Array(0x10000).fill(0x20, 0xd800, 0xe000);
  for (let unit = 0; unit < 0xd800; unit += 1) allUnits[unit] = unit;
  for (let unit = 0xe000; unit <= 0xffff; unit += 1) allUnits[unit] = unit;
  const units = new TextDecoder("utf-16le").decode(allUnits);
  for (const [value, pattern] of patterns) {
    for (const { index, 0: run } of units.matchAll(pattern)) {
      for (let unit = index; unit < index + run.length; unit += 1) {
        table[unit] = (table[unit] ?? 0) + value;
      }
    }
  }
  return table.fill(surrogateValue, 0xd800, 0xe000);
}

const latinAndGreek = /[\p{Script=Latin}\p{Script=Greek}]/u;
const foldable =
  /[\u00df-\u024f\u0370-\u03ff\u0451\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u0622\u0623\u0625\u0629\u0640\u0649\u064b-\u065f\u0670\u0671\u06d6-\u06dc\u06df-\u06e4\u06e7\u06e8\u06ea-\u06ed\u1e00-\u1fff]/;
const everyFoldable = new RegExp(foldable, "g");
const replacements: ReadonlyMap<string, string> = makeReplacements();

/** Most posts contain none of them. */
const needsNormalising =
  /[^\u0021-\u007e\s\u00c0-\u00ff\u0400-\u0482\u048a-\u04ff\u2010\u2013-\u2016\u2018-\u201f\u2020-\u2022\u3001\u3002\u3042-\u3093\u30a2-\u30f3\u30fc\u4e00-\u9fff]|[\u00a0\u2000-\u200a\u202f\u205f\u3000]/;
/** Unicode's default ignorable characters, which would split words, except the zero width space. */
const invisible =
  /[\u00ad\u061c\u115f\u1160\u180e\u200c-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufff8]|\u034f|[\u17b4\u17b5]|[\u180b-\u180d\u180f\ufe00-\ufe0f]|\ud82f[\udca0-\udca3]|\ud834[\udd73-\udd7a]|[\udb40-\udb43][\udc00-\udfff]/;
const everyInvisible = new RegExp(invisible, "g");
export const needsFolding = new RegExp(
  `${needsNormalising.source}|[\\ufeff\\u00c0-\\u00ff\\u0401\\u0451]`,
);
/** NFKC would compose these letters into syllables. */
const singleHangulLetter = /[\u3131-\u318e]/;
const notSingleHangulLetters = /[^\u3131-\u318e]+/g;
/** NFKC decomposes the Thai and Lao vowel AM; the tone mark belongs before it. */
const thaiAm = /\u0e4d([\u0e48-\u0e4b]?)\u0e32/g;
const laoAm = /\u0ecd([\u0ec8-\u0ecb]?)\u0eb2/g;
const hasAm = /[\u0e4d\u0ecd]/;
const combining = /[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]/;
const combiningAfterLatin =
  /([\p{Script=Latin}\p{Script=Greek}0-9_])[\u0300-\u036f\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20f0\ufe20-\ufe2f]+/gu;
const zeroWidthSpace = /\u200b+/g;

/**
 * Diacritics are folded where readers treat the letters as equal (Latin, Greek, Arabic, Hebrew, ё),
 * but not where they make a different letter (й, が, Thai and Indic signs). Each word is folded
 * independently.
 */
export function foldWord(text: string): string {
  const visible = withoutInvisible(text);
  const lower = normalise(visible).toLowerCase();
  const unmarked = combining.test(lower) ? lower.replace(combiningAfterLatin, "$1") : lower;
  return foldable.test(unmarked) ? unmarked.replace(everyFoldable, characterReplacement) : unmarked;
}

function withoutInvisible(text: string): string {
  const joined = text.includes("\u200b") ? text.replace(zeroWidthSpace, keepBetweenWords) : text;
  return invisible.test(joined) ? joined.replace(everyInvisible, "") : joined;
}

/**
 * A zero width space is a line-break hint in scripts without spaces, and otherwise separates words.
 */
function keepBetweenWords(spaces: string, offset: number, text: string): string {
  const nextClass = codeUnitClass(text.charCodeAt(offset + spaces.length));
  return nextClass === spaceless ? "" : spaces;
}

function normalise(text: string): string {
  if (!needsNormalising.test(text)) return text;
  const composed = singleHangulLetter.test(text)
    ? text.replace(notSingleHangulLetters, (part) => part.normalize("NFKC"))
    : text.normalize("NFKC");
  if (!hasAm.test(composed)) return composed;
  return composed.replace(thaiAm, "$1\u0e33").replace(laoAm, "$1\u0eb3");
}

function characterReplacement(character: string): string {
  return replacements.get(character) ?? character;
}

function makeReplacements(): Map<string, string> {
  const map = new Map<string, string>();
  for (const [first, last] of [
    [0xc0, 0x24f],
    [0x370, 0x3ff],
    [0x1e00, 0x1fff],
  ] as const) {
    for (let codePoint = first; codePoint <= last; codePoint += 1) {
      const character = String.fromCodePoint(codePoint);
      const base = character.normalize("NFD").replace(/\p{M}+/gu, "");
      if (base !== "" && latinAndGreek.test(character)) map.set(character, base);
    }
  }
  for (const pair of ["ßss", "ςσ", "ıi", "ёе", "أا", "إا", "آا", "ٱا", "ىي", "ةه"]) {
    map.set(pair.slice(0, 1), pair.slice(1));
  }
  for (let codePoint = 0x591; codePoint <= 0x6ed; codePoint += 1) {
    const character = String.fromCodePoint(codePoint);
    // Drops tatweel, and vowel signs of Hebrew and Arabic.
    if (foldable.test(character) && !map.has(character)) map.set(character, "");
  }
  return map;
}

const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};
const anyEntity = /&(?:amp|lt|gt|quot|#39);/g;

/** Decodes only once: `&amp;lt;` becomes `&lt;`. */
export function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(anyEntity, (entity) => entities[entity] ?? entity);
}
