import type { Encryptor } from "../../lib/encryption.ts";
import { isProviderName, type ProviderName } from "./provider.ts";

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
