/**
 * Letters, digits and `_` make words; scripts without spaces (and Hangul, whose particles attach to words) are split into
 * characters; marks belong to the preceding character; everything else separates.
 */
const separator = 0;
export const wordClass = 1;
export const spaceless = 2;
export const mark = 3;
/** Half of a character: use `codePointClass`. */
export const surrogate = 4;

const letters = "\\p{L}\\p{N}_";
/** They work like apostrophes, although Unicode classifies them as letters. */
const apostrophes = "\\u02b9-\\u02bf";
/** The code points are Japanese, although Unicode assigns them no script. */
const spacelessScripts = `${["Han", "Hira", "Kana", "Hang", "Thai", "Laoo", "Khmr", "Mymr"]
  .map((script) => `\\p{Script=${script}}`)
  .join("")}\\u3006\\u3031-\\u3035\\u303c\\u30fc`;

const patterns: readonly (readonly [number, RegExp])[] = [
  [mark, /\p{M}+/gu],
  [spaceless, new RegExp(`[[${letters}]&&[${spacelessScripts}]]+`, "gv")],
  [wordClass, new RegExp(`[[${letters}]--[${spacelessScripts}${apostrophes}]]+`, "gv")],
];

let classes: Uint8Array | null = null;

/** Lazy, so that it does not delay startup. */
export function codeUnitClass(unit: number): number {
  classes ??= unitTable(patterns, surrogate);
  return classes[unit] ?? separator;
}

export function codePointClass(codePoint: number): number {
  if (codePoint < 0x10000) return codeUnitClass(codePoint);
  const character = String.fromCodePoint(codePoint);
  return patterns.find(([, pattern]) => character.search(pattern) === 0)?.[0] ?? separator;
}

/** Per UTF-16 code unit, the sum of the numbers of matching patterns. */
export function unitTable(
  patterns: readonly (readonly [number, RegExp])[],
  ofSurrogates: number,
): Uint8Array {
  const table = new Uint8Array(0x10000);
  // Surrogates become spaces, so that an index equals the code unit.
  const allUnits = new Uint16Array(0x10000).fill(0x20, 0xd800, 0xe000);
  for (let unit = 0; unit < 0xd800; unit += 1) allUnits[unit] = unit;
  for (let unit = 0xe000; unit <= 0xffff; unit += 1) allUnits[unit] = unit;
  const units = new TextDecoder("utf-16le").decode(allUnits);
  for (const [number, pattern] of patterns) {
    for (const { index, 0: run } of units.matchAll(pattern)) {
      for (let unit = index; unit < index + run.length; unit += 1) {
        table[unit] = (table[unit] ?? 0) + number;
      }
    }
  }
  return table.fill(ofSurrogates, 0xd800, 0xe000);
}
