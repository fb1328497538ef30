import { sha256 } from "./encoding.ts";
import { frame } from "./frame.ts";

/** What a caller of a node may send to tie the answer to its question: 22 to 64 characters of base64url, never used before. */
export const callerNoncePattern = /^[A-Za-z0-9_-]{22,64}$/;

/**
 * What an answer to a caller's nonce is signed for in the place of a job: a UUID (RFC 9562, version 8) that nobody knew before
 * the nonce was known, and that is no job's of a gateway.
 */
export function jobOfNonce(nonce: string): string {
  const bytes = sha256(frame("earshot-direct-answer/v1", nonce)).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ].join("-");
}
