import type { LeasedCredential, Secrets } from "../../platforms/credential.ts";
import type { PooledCredential } from "../credentials/pool.ts";

/** The secrets of one request: the credential's own may be replaced while it runs. */
export type UsedSecrets = {
  leased: LeasedCredential;
  /** The revision of the secret that was sent: a refusal concerns it alone. */
  revision(): number;
  /** All that an answer may echo. */
  secrets(): Secrets;
};

export function usedSecrets({
  leased,
  revision,
}: Pick<PooledCredential, "leased" | "revision">): UsedSecrets {
  let used = { secrets: leased.secrets(), revision: revision() };

  function take(secrets: Secrets): Secrets {
    // A secret already replaced again is older than the present revision.
    if (secrets === leased.secrets()) used = { secrets, revision: revision() };
    return secrets;
  }

  return {
    leased: {
      credential: leased.credential,
      secrets: () => take(leased.secrets()),
      renew: async (seen, make) => take(await leased.renew(seen, make)),
    },
    revision: () => used.revision,
    secrets: () => {
      const all = [...Object.values(used.secrets), ...Object.values(leased.secrets())];
      return Object.fromEntries(all.entries());
    },
  };
}
