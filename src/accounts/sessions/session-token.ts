import { hash, timingSafeEqual } from "node:crypto";
import { type RandomBytes, randomBase62 } from "../../lib/base62.ts";

/**
 * What proves a session: `<id>.<secret>`, 16 base62 digits and 256 random bits. The id finds the row, and so tells a secret that
 * was replaced from one that never was; the store holds a hash of the secret alone.
 */
export type SessionToken = { id: string; secret: string };

const idLength = 16;
const form = /^([0-9A-Za-z]{16})\.([0-9A-Za-z_-]{43})$/;

export function newSessionId(randomBytes: RandomBytes): string {
  return randomBase62(idLength, randomBytes);
}

/** 256 random bits in base64url. */
export function newSecret(randomBytes: RandomBytes): string {
  return Buffer.from(randomBytes(32)).toString("base64url");
}

export function printSessionToken({ id, secret }: SessionToken): string {
  return `${id}.${secret}`;
}

/** Null for anything that is no whole token. */
export function parseSessionToken(text: string): SessionToken | null {
  const [, id, secret] = form.exec(text) ?? [];
  return id === undefined || secret === undefined ? null : { id, secret };
}

/** SHA-256 in base64, which travels to the store cheaply. */
export function hashOfSecret(secret: string): string {
  return hash("sha256", secret, "base64");
}

/** Whether a hash that is kept is the one that was presented, in a time that tells nothing. */
export function isSameHash(kept: Uint8Array | null, presented: Uint8Array): boolean {
  return kept !== null && kept.length === presented.length && timingSafeEqual(kept, presented);
}
