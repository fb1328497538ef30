/**
 * X and Bluesky issue a new refresh token at each renewal and treat a reused one as theft, which ends the session. Compare-
 * and-set on the new token is too late: two processes have used the old one by then. So a renewal is claimed first. The
 * claim is not fsynced, as a power cut ends both processes.
 */

import { durable, relaxed } from "../../db/operations.ts";
import { credentialOf, type StoredCredential } from "./rows.ts";

/** For how long whoever renews a credential has it to itself; one that died meanwhile keeps the others waiting no longer. */
const renewalClaimMs = 60_000;

/** A secret that is renewed: one process at a time, which says of which revision it comes. */
export const renewalOperations = {
  /**
   * Claims the renewal of a secret whose revision is the caller's; null when another one has claimed it. Else the credential
   * as it stands, whose revision tells whether the claim was made; `removed` when it is gone.
   */
  claimRenewal: relaxed(
    (
      database,
      { id, revision, nowMs }: { id: string; revision: number; nowMs: number },
    ): StoredCredential | "removed" | null => {
      const untilMs = nowMs + renewalClaimMs;
      // One that ends much later than a claim of this moment was made before the clock was put back. A little later is
      // usual: the other process has looked at the clock after this one and come first.
      const claimed = database.run(
        `UPDATE credential SET renewing_until_ms = :untilMs WHERE id = :id AND revision = :revision
           AND (renewing_until_ms IS NULL OR renewing_until_ms <= :nowMs OR renewing_until_ms > :oddMs)`,
        { id, revision, nowMs, untilMs, oddMs: untilMs + renewalClaimMs },
      );
      const stored = credentialOf(database, id);
      if (stored === null) return "removed";
      return claimed === 1 || stored.revision !== revision ? stored : null;
    },
  ),

  /** Gives a claim back, where nothing came of it. */
  releaseRenewal: relaxed((database, { id, revision }: { id: string; revision: number }): null => {
    database.run(
      "UPDATE credential SET renewing_until_ms = NULL WHERE id = :id AND revision = :revision",
      { id, revision },
    );
    return null;
  }),

  /** Changes what is secret where its revision is still the caller's: whether it was. */
  changeCredentialSecret: durable(
    (database, change: { id: string; revision: number; sealedSecret: Uint8Array }): boolean =>
      database.run(
        `UPDATE credential SET sealed_secret = :sealedSecret, revision = revision + 1, renewing_until_ms = NULL
         WHERE id = :id AND revision = :revision`,
        change,
      ) === 1,
  ),
};
