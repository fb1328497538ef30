import type { CredentialPool, PooledCredential } from "../credentials/pool.ts";
import type { AccessKind } from "../upstream.ts";
import type { Sessions } from "./sessions.ts";

export type FoundCredential = PooledCredential & { access: Exclude<AccessKind, "public"> };

/**
 * The credentials by which a job may ask: an account's own before the deployment's, `user` before `app`, else as the pool has
 * them.
 */
export async function foundCredentials(
  pool: CredentialPool,
  asked: Parameters<Sessions["open"]>[0],
): Promise<readonly FoundCredential[]> {
  const { job, platform, access, whose, bucket, host, credentialId = null } = asked;
  const { accountId } = job;
  const kinds = (["user", "app"] as const).filter((kind) => access.includes(kind));
  if (credentialId !== null) {
    const one = await pool.find(accountId, credentialId, bucket);
    if (one === null || one.kind.platform !== platform) return [];
    const kind = one.kind.access;
    const mayBeUsed = kinds.includes(kind) && (whose === "any" || one.owner === "account");
    return mayBeUsed ? [{ ...one, access: kind }] : [];
  }
  const chosen = kinds.map(async (kind) => {
    const asks = { platform, accountId, access: kind, whose, bucket, host };
    return (await pool.choose(asks)).map((one) => ({ ...one, access: kind }));
  });
  return (await Promise.all(chosen)).flat().toSorted(byOwner);
}

function byOwner(one: FoundCredential, other: FoundCredential): number {
  const rank = ({ owner, access }: FoundCredential) =>
    (owner === "account" ? 0 : 2) + (access === "user" ? 0 : 1);
  return rank(one) - rank(other);
}
