import { durable, relaxed } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";

export const credentialStateOperations = {
  markCredentialUsed: relaxed(function* (
    database,
    { id, nowMs }: { id: string; nowMs: number },
  ): Steps<null> {
    yield* database.run("UPDATE credential SET used_ms = :nowMs WHERE id = :id", { id, nowMs });
    return null;
  }),

  startCredentialCooldown: relaxed(function* (database, cooldown: Cooldown): Steps<null> {
    const { id, bucket, untilMs, reason, nowMs } = cooldown;
    yield* database.run(
      "DELETE FROM credential_cooling WHERE credential_id = :id AND until_ms <= :nowMs",
      {
        id,
        nowMs,
      },
    );
    yield* database.run(
      `INSERT INTO credential_cooling(credential_id, bucket, until_ms, reason)
       SELECT id, :bucket, :untilMs, :reason FROM credential WHERE id = :id
       ON CONFLICT(credential_id, bucket) DO UPDATE SET until_ms = excluded.until_ms, reason = excluded.reason`,
      { id, bucket, untilMs, reason },
    );
    return null;
  }),

  /**
   * No-op if the secret has changed since the refused request; keeps an earlier quarantine's time.
   */
  quarantineCredential: durable(function* (database, refusal: CredentialRefusal): Steps<null> {
    yield* database.run(
      `UPDATE credential SET quarantined_ms = coalesce(quarantined_ms, :nowMs), quarantine_reason = :reason
       WHERE id = :id AND revision = :revision`,
      refusal,
    );
    return null;
  }),

  liftCredentialQuarantine: durable(function* (database, { id }: { id: string }): Steps<boolean> {
    return (
      (yield* database.run(
        `UPDATE credential SET quarantined_ms = NULL, quarantine_reason = NULL
         WHERE id = :id AND quarantined_ms IS NOT NULL`,
        { id },
      )) === 1
    );
  }),
};

type CredentialRefusal = { id: string; revision: number; reason: string; nowMs: number };

type Cooldown = { id: string; bucket: string; untilMs: number; reason: string; nowMs: number };
