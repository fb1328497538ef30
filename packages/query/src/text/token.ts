import { sha256Hex } from "./sha256.ts";

const maxTokenBytes = 64;
const prefixBytes = 40;
const hashDigits = 16;

const encoder = new TextEncoder();
/** A leading U+FEFF is part of the token. */
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Above 64 bytes: the first 40, `~`, and 16 hex digits of the SHA-256. No other token contains `~`.
 */
export function shortenToken(token: string): string {
  if (token.length * 3 <= maxTokenBytes) return token;
  const bytes = encoder.encode(token);
  if (bytes.length <= maxTokenBytes) return token;
  let end = prefixBytes;
  // 10xxxxxx is a continuation byte.
  while (end > 0 && ((bytes[end] ?? 0) & 0xc0) === 0x80) end -= 1;
  return `${decoder.decode(bytes.subarray(0, end))}~${sha256Hex(bytes).slice(0, hashDigits)}`;
}

/** For ASCII, where length equals bytes. */
export const shortenAsciiToken = (token: string): string =>
  token.length <= maxTokenBytes ? token : shortenToken(token);
