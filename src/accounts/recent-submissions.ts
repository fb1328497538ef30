import type { Database, Steps } from "../db/statements.ts";

export type RecentSubmission = { keyId: string; accountId: string | null; ageMs: number };

/**
 * Oldest first. Rows have wall-clock times but are in submission order: if the clock was set back,
 * a row from the future counts as old as the row after it. A clock that was set forward goes
 * unnoticed.
 */
export function* recentSubmissions(
  database: Database,
  nowMs: number,
  windowMs: number,
): Steps<RecentSubmission[]> {
  const submissions: RecentSubmission[] = [];
  let newer = { ms: nowMs, ageMs: 0 };
  let beforeSequence = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = yield* readRowsBefore(database, beforeSequence);
    for (const { sequence, keyId, accountId, ms } of rows) {
      const ageByNextMs = newer.ageMs + Math.max(0, newer.ms - ms);
      const ageByClockMs = ms <= nowMs ? nowMs - ms : ageByNextMs;
      const ageMs = Math.max(newer.ageMs, Math.min(ageByNextMs, ageByClockMs));
      if (ageMs >= windowMs) return submissions.reverse();
      submissions.push({ keyId, accountId, ageMs });
      newer = { ms, ageMs };
      beforeSequence = sequence;
    }
    if (rows.length < batchSize) return submissions.reverse();
  }
}

type Row = { sequence: number; keyId: string; accountId: string | null; ms: number };

const batchSize = 1_000;

const readRowsBefore = (database: Database, before: number): Steps<Row[]> =>
  database.all<Row>(
    `SELECT sequence, submitted_ms AS ms,
       coalesce(successor_id, key_id) AS keyId,
       CASE WHEN account.submissions_per_minute IS NOT NULL AND api_key.submissions_per_minute IS NULL
         THEN job.account_id END AS accountId
     FROM job LEFT JOIN api_key ON api_key.id = key_id LEFT JOIN account ON account.id = job.account_id
     WHERE sequence < :before ORDER BY sequence DESC LIMIT ${batchSize}`,
    { before },
  );
