/** A query as code points, beside the same code points with every form of a syntax character made plain. */
export type Source = { characters: readonly string[]; folded: readonly string[] };

/** Splits once, so that every later index is an offset in Unicode code points. */
export function readSource(text: string): Source {
  const characters = Array.from(text);
  return { characters, folded: characters.map(foldCharacter) };
}

/** The text between two offsets, as written. */
export function textBetween(source: Source, start: number, end: number): string {
  return source.characters.slice(start, end).join("");
}

/** The text between two offsets, with syntax characters made plain. */
export function foldedBetween(source: Source, start: number, end: number): string {
  return source.folded.slice(start, end).join("");
}

export function codePointLength(text: string): number {
  let length = 0;
  for (const _ of text) length++;
  return length;
}

/**
 * Full-width and small forms (`＃ ＠ （ ： －`) are the ASCII character, a minus sign U+2212 is `-`, every double quotation mark
 * is `"`, and every white space is a space. One code point stays one code point.
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

/** The character that closes a quotation which the given (folded) character opens, or null when it opens none. */
export function closerOf(folded: string): string | null {
  return closingQuote.get(folded) ?? null;
}

/** What nobody sees, and what no part of a query begins or ends with. */
export const invisibleCharacters =
  "\u200b\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069";
const invisible = new RegExp(`^[${invisibleCharacters}]$`, "u");

/** Characters without width that text copied from a page carries along; joiners, which emoji need, are not among them. */
export function isInvisible(character: string): boolean {
  return invisible.test(character);
}

/** A value as it was meant: nobody writes characters without width on purpose. */
export function withoutInvisible(text: string): string {
  return Array.from(text)
    .filter((character) => !isInvisible(character))
    .join("");
}

/** Whether the character closes a quotation that `"` opened, so that it needs a backslash within one. */
export function isDoubleQuote(character: string): boolean {
  return foldCharacter(character) === '"';
}

/** The text without the characters of `ending` behind it, in linear time, which a regular expression does not promise. */
export function withoutEnding(text: string, ending: string): string {
  let end = text.length;
  while (end > 0 && ending.includes(text[end - 1] ?? " ")) end--;
  return text.slice(0, end);
}
