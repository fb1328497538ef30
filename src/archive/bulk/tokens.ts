import { indexPunctuation } from "../segments/schema.ts";

/** A longer token is cut off there, as FTS5 does. */
const maxTokenBytes = 32_768;

/**
 * Lower-cases the ASCII letters of a post's terms in place and writes where each token begins and ends into `bounds`, as FTS5
 * reads them (`segments/schema.ts`): ASCII bytes other than letters, digits and the punctuation of the index separate tokens.
 * Returns how many tokens there are; `bounds` has room for a byte and a separator each, twice.
 */
export function findTokens(bytes: Uint8Array, bounds: Uint32Array): number {
  let tokens = 0;
  let from = 0;
  const length = bytes.length;
  for (let at = 0; at <= length; at += 1) {
    const folded = at < length ? (foldedBytes[bytes[at] as number] as number) : 0;
    if (folded !== 0) {
      bytes[at] = folded;
      continue;
    }
    if (at > from) {
      bounds[tokens * 2] = from;
      bounds[tokens * 2 + 1] = Math.min(at, from + maxTokenBytes);
      tokens += 1;
    }
    from = at + 1;
  }
  return tokens;
}

/** What each byte of a token is folded to; 0 for separators. */
const foldedBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return byte;
  const character = String.fromCharCode(byte);
  const isToken = /[0-9A-Za-z]/.test(character) || indexPunctuation.includes(character);
  return isToken ? character.toLowerCase().charCodeAt(0) : 0;
});
