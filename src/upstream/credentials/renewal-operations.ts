/**
 * X and Bluesky issue a new refresh token at each renewal and treat a reused one as theft. A
 * compare-and-set on the new token would be too late, so renewals are claimed first. Claims are not
 * fsynced: a power cut ends both processes.
 */

import { durable, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import { readCredential, type StoredCredential } from "./rows.ts";

/** The longest time that a dead process blocks others. */
const renewalClaimMs = 60_000;

export const renewalOperations = {
  /** Null if claimed by another process. An unchanged revision shows that this call claimed it. */
  claimRenewal: relaxed(function* (
    database,
    { id, revision, nowMs }: { id: string; revision: number; nowMs: number },
  ): Steps<StoredCredential | "removed" | null> {
    const untilMs = nowMs + renewalClaimMs;
    // A claim that ends much later was made before the clock was set back. Slightly later is
    // normal: the other process read the clock later but claimed first.
    const claimedRows = yield* database.run(
      `UPDATE credential SET renewing_until_ms = :untilMs WHERE id = :id AND revision = :revision
           AND (renewing_until_ms IS NULL OR renewing_until_ms <= :nowMs OR renewing_until_ms > :implausibleMs)`,
      { id, revision, nowMs, untilMs, implausibleMs: untilMs + renewalClaimMs },
    );
    const storedCredential = yield* readCredential(database, id);
    if (storedCredential === null) return "removed";
    return claimedRows === 1 || storedCredential.revision !== revision ? storedCredential : null;
  }),

  releaseRenewal: relaxed(function* (
    database,
    { id, revision }: { id: string; revision: number },
  ): Steps<null> {
    yield* database.run(
      "UPDATE credential SET renewing_until_ms = NULL WHERE id = :id AND revision = :revision",
      { id, revision },
    );
    return null;
  }),

  /** False if the revision differs. */
  changeCredentialSecret: durable(function* (
    database,
    change: { id: string; revision: number; encryptedSecret: Uint8Array },
  ): Steps<boolean> {
    return (
      (yield* database.run(
        `UPDATE credential SET sealed_secret = :encryptedSecret, revision = revision + 1, renewing_until_ms = NULL
         WHERE id = :id AND revision = :revision`,
        change,
      )) === 1
    );
  }),
};
