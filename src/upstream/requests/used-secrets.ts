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
  credentialInUse,
  revision,
}: Pick<PooledCredential, "credentialInUse" | "revision">): UsedSecrets {
  let lastUse = { secrets: credentialInUse.secrets(), revision: revision() };

  function recordUse(secrets: Secrets): Secrets {
    // A secret that has been replaced is older than the revision.
    if (secrets === credentialInUse.secrets()) lastUse = { secrets, revision: revision() };
    return secrets;
  }

  return {
    inUse: {
      credential: credentialInUse.credential,
      secrets: () => recordUse(credentialInUse.secrets()),
      renew: async (seen, make) => recordUse(await credentialInUse.renew(seen, make)),
    },
    revision: () => lastUse.revision,
    secrets: () => {
      const values = [
        ...Object.values(lastUse.secrets),
        ...Object.values(credentialInUse.secrets()),
      ];
      return Object.fromEntries(values.entries());
    },
  };
}
