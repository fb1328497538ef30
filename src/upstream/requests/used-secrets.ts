import type { LeasedCredential, Secrets } from "../../platforms/credential.ts";
import type { PooledCredential } from "../credentials/pool.ts";

/** What one request has used of a credential, whose secret may be replaced while the request is under way. */
export type UsedSecrets = {
  /** What the request is to use the credential by. */
  held: LeasedCredential;
  /** Of what the request used last: a refusal of the platform concerns that alone. */
  revision(): number;
  /** All that an answer to the request may repeat: what it used last, and what is held. The names mean nothing. */
  secrets(): Secrets;
};

export function usedSecrets({
  held,
  revision,
}: Pick<PooledCredential, "held" | "revision">): UsedSecrets {
  let taken = { secrets: held.secrets(), revision: revision() };

  function take(secrets: Secrets): Secrets {
    // What was replaced again before it got here is older than the revision that is held.
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
