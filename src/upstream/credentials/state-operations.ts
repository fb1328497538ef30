import { durable, relaxed } from "../../db/operations.ts";

export const credentialStateOperations = {
  useCredential: relaxed((database, { id, nowMs }: { id: string; nowMs: number }): null => {
    database.run("UPDATE credential SET used_ms = :nowMs WHERE id = :id", { id, nowMs });
    return null;
  }),

  /** Drops those that have reopened. */
  coolCredential: relaxed((database, cooling: Cooling): null => {
    const { id, bucket, untilMs, reason, nowMs } = cooling;
    database.run(
      "DELETE FROM credential_cooling WHERE credential_id = :id AND until_ms <= :nowMs",
      {
        id,
        nowMs,
      },
    );
    database.run(
      `INSERT INTO credential_cooling(credential_id, bucket, until_ms, reason)
       SELECT id, :bucket, :untilMs, :reason FROM credential WHERE id = :id
       ON CONFLICT(credential_id, bucket) DO UPDATE SET until_ms = excluded.until_ms, reason = excluded.reason`,
      { id, bucket, untilMs, reason },
    );
    return null;
  }),

  /** No-op if its secret changed since; the time of an earlier quarantine stays. */
  quarantineCredential: durable((database, refused: Refused): null => {
    database.run(
      `UPDATE credential SET quarantined_ms = coalesce(quarantined_ms, :nowMs), quarantine_reason = :reason
       WHERE id = :id AND revision = :revision`,
      refused,
    );
    return null;
  }),

  releaseCredential: durable(
    (database, { id }: { id: string }): boolean =>
      database.run(
        `UPDATE credential SET quarantined_ms = NULL, quarantine_reason = NULL
         WHERE id = :id AND quarantined_ms IS NOT NULL`,
        { id },
      ) === 1,
  ),
};

type Refused = { id: string; revision: number; reason: string; nowMs: number };

type Cooling = { id: string; bucket: string; untilMs: number; reason: string; nowMs: number };
