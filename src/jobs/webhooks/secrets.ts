import type { Encryptor, SecretOwner } from "../../lib/encryption.ts";
import type { DueDelivery } from "./due-deliveries.ts";

export function webhookOwner(accountId: string, id: string): SecretOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * Two during a replacement. A former secret that cannot be decrypted is skipped, because replacing
 * a secret is the fix. Errors: `secret_key_mismatch`.
 */
export function secretsOf(
  encryptor: Encryptor,
  {
    accountId,
    webhookId,
    sealedSecret,
    formerSealedSecret,
  }: Pick<DueDelivery, "accountId" | "webhookId" | "sealedSecret" | "formerSealedSecret">,
): string[] {
  const owner = webhookOwner(accountId, webhookId);
  const secret = encryptor.open(sealedSecret, owner);
  if (formerSealedSecret === null) return [secret];
  try {
    return [secret, encryptor.open(formerSealedSecret, owner)];
  } catch {
    return [secret];
  }
}
