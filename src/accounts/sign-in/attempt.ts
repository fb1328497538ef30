import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { ProviderName } from "./provider.ts";

export function attemptHash(secret: string): string {
  return hash("sha256", secret, "base64");
}

/** Depends on the provider, which prevents mix-up attacks. */
export function oauthState(secret: string, provider: ProviderName): string {
  return derived(secret, `earshot sign-in state ${provider}`);
}

/** RFC 7636. */
export function pkceCodeVerifier(secret: string, provider: ProviderName): string {
  return derived(secret, `earshot sign-in verifier ${provider}`);
}

export function isState(presented: string, secret: string, provider: ProviderName): boolean {
  const expected = Buffer.from(oauthState(secret, provider));
  const actual = Buffer.from(presented);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function derived(secret: string, label: string): string {
  return createHmac("sha256", secret).update(label).digest("base64url");
}
