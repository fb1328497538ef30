import { Buffer } from "node:buffer";
import { hash } from "node:crypto";

/** The longest token, in bytes of UTF-8. */
const maxTokenBytes = 64;
const keptBytes = 40;
const hashDigits = 16;

/**
 * The token itself when it is at most 64 bytes long, else its first 40 bytes (cut between characters), `~`, and 16 hex digits
 * of its SHA-256. Both sides shorten alike, so long words are still found, and no other token holds a `~`.
 */
export function shortenToken(token: string): string {
  if (token.length * 3 <= maxTokenBytes || Buffer.byteLength(token) <= maxTokenBytes) return token;
  const bytes = Buffer.from(token);
  let end = keptBytes;
  // 10xxxxxx continues a character.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${bytes.toString("utf8", 0, end)}~${hash("sha256", bytes).slice(0, hashDigits)}`;
}

/** As `shortenToken`, for a token of ASCII, whose bytes need no counting. */
export const shortenAsciiToken = (token: string): string =>
  token.length <= maxTokenBytes ? token : shortenToken(token);
