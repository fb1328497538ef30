import { createHash } from "node:crypto";
import { crc32 } from "node:zlib";
import { encodeBase62, type RandomBytes, randomBase62 } from "../lib/base62.ts";

/**
 * `ear_<id>_<secret><checksum>`: 8 base62 digits of ID, 32 of secret (190 bits), 6 of CRC-32, which detects typos without a
 * lookup. The store has a plain SHA-256 of the secret, because 190 bits cannot be brute-forced.
 */
export type ApiKey = { id: string; secret: string };

const idLength = 8;
const secretLength = 32;
const checksumLength = 6;
const form = /^(ear_([0-9A-Za-z]{8})_([0-9A-Za-z]{32}))([0-9A-Za-z]{6})$/;

export function newApiKey(randomBytes: RandomBytes): ApiKey {
  return {
    id: randomBase62(idLength, randomBytes),
    secret: randomBase62(secretLength, randomBytes),
  };
}

export function printApiKey({ id, secret }: ApiKey): string {
  const body = `ear_${id}_${secret}`;
  return body + checksum(body);
}

/** Null if malformed. */
export function parseApiKey(text: string): ApiKey | null {
  const [, body, id, secret, sum] = form.exec(text) ?? [];
  if (body === undefined || id === undefined || secret === undefined) return null;
  return sum === checksum(body) ? { id, secret } : null;
}

/** Null for another scheme or a malformed key. */
export function keyOfAuthorization(header: string): ApiKey | null {
  const token = /^bearer +([^\s]+) *$/i.exec(header)?.[1];
  return token === undefined ? null : parseApiKey(token);
}

export function hashSecret(secret: string): Uint8Array {
  return createHash("sha256").update(secret).digest();
}

function checksum(body: string): string {
  return encodeBase62(crc32(body), checksumLength);
}
