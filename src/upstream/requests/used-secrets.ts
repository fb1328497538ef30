import type { CredentialInUse, Secrets } from "../../platforms/credential.ts";
import type { PooledCredential } from "../credentials/pool.ts";

/** The secrets of one request; the credential's may be replaced while it runs. */
export type UsedSecrets = {
  inUse: CredentialInUse;
  /** The revision of the secret sent, which alone a refusal concerns. */
  revision(): number;
  /** All secrets that an answer may echo. */
  secrets(): Secrets;
};

export function usedSecrets({
  inUse,
  revision,
}: Pick<PooledCredential, "inUse" | "revision">): UsedSecrets {
  let used = { secrets: inUse.secrets(), revision: revision() };

  function recordUse(secrets: Secrets): Secrets {
    // A secret that has been replaced is older than the revision.
    if (secrets === inUse.secrets()) used = { secrets, revision: revision() };
    return secrets;
  }

  return {
    inUse: {
      credential: inUse.credential,
      secrets: () => recordUse(inUse.secrets()),
      renew: async (seen, make) => recordUse(await inUse.renew(seen, make)),
    },
    revision: () => used.revision,
    secrets: () => {
      const all = [...Object.values(used.secrets), ...Object.values(inUse.secrets())];
      return Object.fromEntries(all.entries());
    },
  };
}
