import { createHmac } from "node:crypto";
import type { RandomBytes } from "../../lib/base62.ts";
import type { Encryptor, SecretOwner } from "../../lib/encryption.ts";
import type { DueDelivery } from "./due-deliveries.ts";

export function webhookOwner(accountId: string, id: string): SecretOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * The current secret and, while it is valid, the former one. A former secret that cannot be
 * decrypted is skipped, so that replacing the secret helps. Errors: `secret_key_mismatch`.
 */
export function decryptWebhookSecrets(
  encryptor: Encryptor,
  {
    accountId,
    webhookId,
    encryptedSecret,
    formerEncryptedSecret,
  }: Pick<DueDelivery, "accountId" | "webhookId" | "encryptedSecret" | "formerEncryptedSecret">,
): string[] {
  const owner = webhookOwner(accountId, webhookId);
  const secret = encryptor.decrypt(encryptedSecret, owner);
  if (formerEncryptedSecret === null) return [secret];
  try {
    return [secret, encryptor.decrypt(formerEncryptedSecret, owner)];
  } catch {
    return [secret];
  }
}

const prefix = "whsec_";
const keyLength = 32;

export function newSigningSecret(randomBytes: RandomBytes): string {
  return prefix + Buffer.from(randomBytes(keyLength)).toString("base64");
}

/** Standard Webhooks 1.0.0: HMAC-SHA256 over `id.timestamp.body`; the key is the base64 after `whsec_`. */
export function signatureHeaders(
  message: { id: string; atMs: number; body: string },
  secrets: readonly string[],
): Record<string, string> {
  const timestamp = String(Math.floor(message.atMs / 1000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  return {
    "webhook-id": message.id,
    "webhook-timestamp": timestamp,
    "webhook-signature": secrets.map((secret) => signature(secret, content)).join(" "),
  };
}

function signature(secret: string, content: string): string {
  const key = Buffer.from(secret.slice(prefix.length), "base64");
  return `v1,${createHmac("sha256", key).update(content).digest("base64")}`;
}
