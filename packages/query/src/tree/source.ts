/** Code points, as written and with syntax characters folded to ASCII. */
export type Source = { characters: readonly string[]; folded: readonly string[] };

export function readSource(text: string): Source {
  const characters = Array.from(text);
  return { characters, folded: characters.map(foldCharacter) };
}

export function textBetween(source: Source, start: number, end: number): string {
  return source.characters.slice(start, end).join("");
}

export function foldedBetween(source: Source, start: number, end: number): string {
  return source.folded.slice(start, end).join("");
}

export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/**
 * Folds full-width and small forms (`＃ ＠ （ ： －`), U+2212, double quotation marks, and white space.
 * Each code point stays one.
 */
function foldCharacter(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  if (code < 0x80) return code === 0x20 || !/\s/.test(character) ? character : " ";
  if (code >= 0xff01 && code <= 0xff5e) return String.fromCodePoint(code - 0xfee0);
  if (code === 0x2212 || code === 0xfe63) return "-";
  if (code >= 0xfe50 && code <= 0xfe6b) return character.normalize("NFKC");
  if (doubleQuotes.has(character)) return '"';
  return /\s/u.test(character) ? " " : character;
}

const doubleQuotes = new Set(["“", "”", "„", "‟", "〝", "〞"]);

const closingQuote = new Map([
  ['"', '"'],
  ["«", "»"],
  ["»", "«"],
  ["「", "」"],
  ["『", "』"],
]);

/** Null unless `folded` is an opening quotation mark. */
export function findClosingQuote(folded: string): string | null {
  return closingQuote.get(folded) ?? null;
}

/** Trimmed from every part of a query. */
export const invisibleCharacters =
  "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069";
const invisible = new RegExp(`^[${invisibleCharacters}]$`, "u");

/** Copied text often contains them. Joiners are excluded, because emoji need them. */
export function isInvisible(character: string): boolean {
  return invisible.test(character);
}

export function withoutInvisible(text: string): string {
  return Array.from(text)
    .filter((character) => !isInvisible(character))
    .join("");
}

export function isDoubleQuote(character: string): boolean {
  return foldCharacter(character) === '"';
}

/** Linear, unlike a regular expression. */
export function withoutEnding(text: string, ending: string): string {
  let end = text.length;
  while (end > 0 && ending.includes(text[end - 1] ?? " ")) end--;
  return text.slice(0, end);
}
