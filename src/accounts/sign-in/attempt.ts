import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { ProviderName } from "./provider.ts";

/**
 * A sign-in under way has one secret, which lies sealed in a cookie of the browser that began it. What the provider is told, and
 * what the store holds, follow from it one way: neither leads back to it.
 */
/** What the store knows it by, once it was finished. */
export function attemptHash(secret: string): string {
  return hash("sha256", secret, "base64");
}

/** What the provider gives back to the browser. It tells the provider, so that no other can answer in its place. */
export function stateOf(secret: string, provider: ProviderName): string {
  return derived(secret, `earshot sign-in state ${provider}`);
}

/** What only the server that began the sign-in can show (RFC 7636). */
export function codeVerifierOf(secret: string, provider: ProviderName): string {
  return derived(secret, `earshot sign-in verifier ${provider}`);
}

export function isState(presented: string, secret: string, provider: ProviderName): boolean {
  const expected = Buffer.from(stateOf(secret, provider));
  const given = Buffer.from(presented);
  return given.length === expected.length && timingSafeEqual(given, expected);
}

function derived(secret: string, label: string): string {
  return createHmac("sha256", secret).update(label).digest("base64url");
}
