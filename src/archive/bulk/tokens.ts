import { indexPunctuation } from "../segments/schema.ts";

/** FTS5 truncates longer tokens. */
const maxTokenBytes = 32_768;

/**
 * Tokenizes like FTS5 (`segments/schema.ts`), lower-casing ASCII letters in place. `bounds`
 * receives each token's start and end, and must have room for one token per two bytes.
 */
export function findTokens(bytes: Uint8Array, bounds: Uint32Array): number {
  let tokens = 0;
  let from = 0;
  const length = bytes.length;
  for (let index = 0; index <= length; index += 1) {
    const foldedByte = index < length ? (foldedBytes[bytes[index] as number] as number) : 0;
    if (foldedByte !== 0) {
      bytes[index] = foldedByte;
      continue;
    }
    if (index > from) {
      bounds[tokens * 2] = from;
      bounds[tokens * 2 + 1] = Math.min(index, from + maxTokenBytes);
      tokens += 1;
    }
    from = index + 1;
  }
  return tokens;
}

/** Maps separators to 0, and other bytes to lower case. */
const foldedBytes = Uint8Array.from({ length: 256 }, (_, byte) => {
  if (byte >= 0x80) return byte;
  const character = String.fromCharCode(byte);
  const isToken = /[0-9A-Za-z]/.test(character) || indexPunctuation.includes(character);
  return isToken ? character.toLowerCase().charCodeAt(0) : 0;
});
