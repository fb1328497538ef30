import type { Encryptor, SecretOwner } from "../../lib/encryption.ts";
import type { DueDelivery } from "./due-deliveries.ts";

export function webhookOwner(accountId: string, id: string): SecretOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * Two during a replacement. A former secret that cannot be decrypted is skipped, because replacing a secret is the fix. Errors:
 * `secret_key_mismatch`.
 */
export function secretsOf(
  sealer: Encryptor,
  {
    accountId,
    webhookId,
    sealedSecret,
    formerSealedSecret,
  }: Pick<DueDelivery, "accountId" | "webhookId" | "sealedSecret" | "formerSealedSecret">,
): string[] {
  const owner = webhookOwner(accountId, webhookId);
  const secret = sealer.open(sealedSecret, owner);
  if (formerSealedSecret === null) return [secret];
  try {
    return [secret, sealer.open(formerSealedSecret, owner)];
  } catch {
    return [secret];
  }
}
