import type { Sealer, SealOwner } from "../../lib/seal.ts";
import type { DueDelivery } from "./due-deliveries.ts";

/** What the secret of a webhook is sealed for. */
export function webhookOwner(accountId: string, id: string): SealOwner {
  return { purpose: "webhook", accountId, id };
}

/**
 * What a delivery is signed with now: one secret, or two while one is being replaced. A former one that does not open is left
 * out, since replacing it is what mends that. Errors: `secret_key_mismatch`.
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
