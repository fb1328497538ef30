import { createHmac, hash, timingSafeEqual } from "node:crypto";
import type { Encryptor } from "../../lib/encryption.ts";
import { isProviderName, type ProviderName } from "./provider.ts";

export function attemptHash(secret: string): string {
  return hash("sha256", secret, "base64");
}

/** The state depends on the provider, which prevents mix-up attacks. */
export function oauthState(secret: string, provider: ProviderName): string {
  return deriveText(secret, `earshot sign-in state ${provider}`);
}

/** See RFC 7636. */
export function pkceCodeVerifier(secret: string, provider: ProviderName): string {
  return deriveText(secret, `earshot sign-in verifier ${provider}`);
}

export function isState(presentedState: string, secret: string, provider: ProviderName): boolean {
  const expected = Buffer.from(oauthState(secret, provider));
  const actual = Buffer.from(presentedState);
  return actual.length === expected.length && timingSafeEqual(actual, expected);
}

function deriveText(secret: string, label: string): string {
  return createHmac("sha256", secret).update(label).digest("base64url");
}

export type Attempt = {
  provider: ProviderName;
  returnTo: string;
  expiresMs: number;
  secret: string;
};

const owner = { purpose: "sign-in", accountId: "", id: "" };

export function encryptAttempt(encryptor: Encryptor, attempt: Attempt): string {
  return Buffer.from(encryptor.encrypt(JSON.stringify(attempt), owner)).toString("base64url");
}

/** Null unless this server encrypted the text. */
export function decryptAttempt(encryptor: Encryptor, text: string): Attempt | null {
  try {
    const { provider, returnTo, expiresMs, secret } = JSON.parse(
      encryptor.decrypt(Buffer.from(text, "base64url"), owner),
    );
    return isProviderName(provider) ? { provider, returnTo, expiresMs, secret } : null;
  } catch {
    return null;
  }
}
