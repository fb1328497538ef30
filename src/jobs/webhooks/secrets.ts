import type { Encryptor, SecretOwner } from "../../lib/encryption.ts";
import type { DueDelivery } from "./due-deliveries.ts";

export function webhookOwner(accountId: string, id: string): SecretOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * The current secret and, while it is valid, the former one. An undecryptable former one is skipped, so that replacing a secret
 * helps. Errors: `secret_key_mismatch`.
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
