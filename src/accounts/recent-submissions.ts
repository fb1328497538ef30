import type { Database } from "../db/open.ts";

export type RecentSubmission = { keyId: string; ageMs: number };

/**
 * The submissions of the last `windowMs` as far as job rows tell, oldest first, each with the key whose rates it used up. Rows hold times of the wall clock, their order
 * is that of submission. Where the clock was put back in between, a row counts as no older than the rows of both sides allow:
 * one that seems to come from the future is as old as the one after it, and the newest of all was made just now. A clock that
 * was put forward makes older what was before, which cannot be told from time that has passed.
 */
export function recentSubmissions(
  database: Database,
  nowMs: number,
  windowMs: number,
): RecentSubmission[] {
  const recent: RecentSubmission[] = [];
  let next = { ms: nowMs, ageMs: 0 };
  for (const { keyId, ms } of newestFirst(database)) {
    const ageByNextMs = next.ageMs + Math.max(0, next.ms - ms);
    const ageByClockMs = ms <= nowMs ? nowMs - ms : ageByNextMs;
    const ageMs = Math.max(next.ageMs, Math.min(ageByNextMs, ageByClockMs));
    if (ageMs >= windowMs) break;
    recent.push({ keyId, ageMs });
    next = { ms, ageMs };
  }
  return recent.reverse();
}

type Row = { sequence: number; keyId: string; ms: number };

const rowsAtOnce = 1_000;

function* newestFirst(database: Database): Generator<Row> {
  let before = Number.MAX_SAFE_INTEGER;
  for (;;) {
    const rows = database.all<Row>(
      `SELECT sequence, submitted_ms AS ms,
         coalesce((SELECT successor_id FROM api_key WHERE api_key.id = key_id), key_id) AS keyId
       FROM job
       WHERE sequence < :before ORDER BY sequence DESC LIMIT ${rowsAtOnce}`,
      { before },
    );
    yield* rows;
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsAtOnce) return;
    before = last.sequence;
  }
}
