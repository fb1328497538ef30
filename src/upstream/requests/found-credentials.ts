import type { AccessKind } from "../../platforms/upstream.ts";
import type { CredentialPool, PooledCredential } from "../credentials/pool.ts";
import type { Sessions, UpstreamJob } from "./sessions.ts";

export type FoundCredential = PooledCredential & { access: Exclude<AccessKind, "public"> };

/**
 * The account's, then the deployment's; within each, `user` before `app`, one released for the job
 * last of its kind.
 */
export async function findCredentials(
  pool: CredentialPool,
  request: Omit<Parameters<Sessions["open"]>[0], "job"> & {
    job: Pick<UpstreamJob, "accountId" | "released">;
  },
): Promise<readonly FoundCredential[]> {
  const { job, platform, access, ownership, bucket, host, credentialId = null } = request;
  const { accountId } = job;
  const kinds = (["user", "app"] as const).filter((kind) => access.includes(kind));
  const released = job.released === undefined ? null : pool.released(job.released);
  const mayBeUsed = ({ kind, owner }: PooledCredential): boolean =>
    kind.platform === platform &&
    kinds.includes(kind.access) &&
    (ownership === "any" || owner === "account");
  if (credentialId !== null) {
    const isReleased = released?.credential.id === credentialId;
    const one = isReleased ? released : await pool.find(accountId, credentialId, bucket);
    return one !== null && mayBeUsed(one) ? [withAccess(one)] : [];
  }
  const chosen = kinds.map(async (kind) => {
    const choice = { platform, accountId, access: kind, ownership, bucket, host };
    return (await pool.choose(choice)).map((pooled) => ({ ...pooled, access: kind }));
  });
  const ownCredentials = (await Promise.all(chosen)).flat();
  const isReleaseIncluded =
    released !== null &&
    mayBeUsed(released) &&
    (host === null || released.credential.host === host);
  return [...ownCredentials, ...(isReleaseIncluded ? [withAccess(released)] : [])].toSorted(
    byOwner,
  );
}

const withAccess = (pooled: PooledCredential): FoundCredential => ({
  ...pooled,
  access: pooled.kind.access,
});

function byOwner(a: FoundCredential, b: FoundCredential): number {
  const rank = ({ owner, access }: FoundCredential) =>
    (owner === "account" ? 0 : 2) + (access === "user" ? 0 : 1);
  return rank(a) - rank(b);
}
