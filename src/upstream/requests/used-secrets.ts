import type { LeasedCredential, Secrets } from "../../platforms/credential.ts";
import type { PooledCredential } from "../credentials/pool.ts";

/** Used by one request, because the credential's secrets may be replaced meanwhile. */
export type UsedSecrets = {
  held: LeasedCredential;
  /** Last used: a refusal concerns it alone. */
  revision(): number;
  /** All that an answer may echo: the last used and the present ones. The names have no meaning. */
  secrets(): Secrets;
};

export function usedSecrets({
  held,
  revision,
}: Pick<PooledCredential, "held" | "revision">): UsedSecrets {
  let taken = { secrets: held.secrets(), revision: revision() };

  function take(secrets: Secrets): Secrets {
    // A secret already replaced again is older than the present revision.
    if (secrets === held.secrets()) taken = { secrets, revision: revision() };
    return secrets;
  }

  return {
    held: {
      credential: held.credential,
      secrets: () => take(held.secrets()),
      renew: async (seen, make) => take(await held.renew(seen, make)),
    },
    revision: () => taken.revision,
    secrets: () => {
      const all = [...Object.values(taken.secrets), ...Object.values(held.secrets())];
      return Object.fromEntries(all.entries());
    },
  };
}
