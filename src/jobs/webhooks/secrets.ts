import type { Sealer, SealOwner } from "../../lib/seal.ts";
import type { DueDelivery } from "./due-deliveries.ts";

export function webhookOwner(accountId: string, id: string): SealOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * The current signing secrets, two during a replacement. A former secret that cannot be decrypted is skipped, because replacing a
 * secret is how that is fixed. Errors: `secret_key_mismatch`.
 */
export function secretsOf(
  sealer: Sealer,
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
