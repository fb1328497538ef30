import { createHmac, hkdfSync } from "node:crypto";
import type { Database, Steps } from "../db/statements.ts";

/**
 * Limits and key creation times of a deleted account, so that signing up again does not reset them.
 * Identities are stored as keyed hashes.
 */
export type ClosedIdentity = {
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  /** JSON list of the key creation times in the last 24 hours, in Unix milliseconds. */
  keyTimes: string;
  closings: number;
  sinceMs: number;
};

export const defaultRetentionMs = 86_400_000;

/** Maximum number of sign-ups after account deletions within `retentionMs`. */
export const maxSignUps = 2;

const dayMs = 86_400_000;

type Identity = { provider: string; subject: string };

/** If `retentionMs` is 0, stores nothing. Call it before deleting the identities' rows. */
export function* rememberIdentities(
  database: Database,
  { accountId, retentionMs, nowMs }: { accountId: string; retentionMs: number; nowMs: number },
): Steps<void> {
  if (retentionMs === 0) return;
  const identities = yield* database.all<Identity>(
    "SELECT provider, subject FROM identity WHERE account_id = :accountId",
    { accountId },
  );
  const creations = yield* database.all<{ ms: number }>(
    `SELECT ms FROM (${keyCreationsSql}) AS creations WHERE ms > :dayAgoMs`,
    { accountId, dayAgoMs: nowMs - dayMs },
  );
  for (const identity of identities) {
    const previous = yield* findClosedIdentity(database, identity, nowMs);
    const isRepeated = previous !== null && previous.sinceMs + retentionMs > nowMs;
    yield* database.run(
      `INSERT INTO closed_identity(hash, since_ms, until_ms, closings, requests_per_second, submissions_per_minute, made_times)
       SELECT :hash, :sinceMs, :untilMs, :closings, requests_per_second, submissions_per_minute, :keyTimes
       FROM account WHERE id = :accountId
       ON CONFLICT(hash) DO UPDATE SET since_ms = excluded.since_ms, until_ms = excluded.until_ms,
         closings = excluded.closings, requests_per_second = excluded.requests_per_second,
         submissions_per_minute = excluded.submissions_per_minute, made_times = excluded.made_times`,
      {
        hash: yield* hashIdentity(database, identity),
        sinceMs: isRepeated ? previous.sinceMs : nowMs,
        untilMs: nowMs + retentionMs,
        closings: isRepeated ? previous.closings + 1 : 1,
        accountId,
        keyTimes: JSON.stringify(creations.map(({ ms }) => ms)),
      },
    );
  }
}

export function* findClosedIdentity(
  database: Database,
  identity: Identity,
  nowMs: number,
): Steps<ClosedIdentity | null> {
  if ((yield* database.get("SELECT 1 FROM closed_identity LIMIT 1")) === undefined) return null;
  const found = yield* database.get<ClosedIdentity>(
    `SELECT requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute, made_times AS keyTimes,
       closings, since_ms AS sinceMs
     FROM closed_identity WHERE hash = :hash AND until_ms > :nowMs`,
    { hash: yield* hashIdentity(database, identity), nowMs },
  );
  return found ?? null;
}

export function* restoreRememberedLimits(
  database: Database,
  accountId: string,
  { requestsPerSecond, submissionsPerMinute, keyTimes }: ClosedIdentity,
): Steps<void> {
  yield* database.run(
    `UPDATE account SET requests_per_second = :requestsPerSecond, submissions_per_minute = :submissionsPerMinute,
       earlier_key_times = :keyTimes WHERE id = :accountId`,
    { accountId, requestsPerSecond, submissionsPerMinute, keyTimes },
  );
}

export function* forgetExpiredIdentities(database: Database, nowMs: number): Steps<void> {
  yield* database.run("DELETE FROM closed_identity WHERE until_ms <= :nowMs", { nowMs });
}

export const keyCreationsSql = `
  SELECT created_ms AS ms FROM api_key WHERE account_id = :accountId
  UNION ALL SELECT CAST(value AS INTEGER) FROM account, json_each(coalesce(earlier_key_times, '[]')) WHERE account.id = :accountId`;

/** The hash is keyed, so that no one without the store can test for an identity. */
function* hashIdentity(database: Database, { provider, subject }: Identity): Steps<Uint8Array> {
  const secret = yield* database.get<{ value: Uint8Array }>(
    "SELECT value FROM setting WHERE name = 'cursor_key'",
  );
  if (secret === undefined) throw new Error("the control store has no cursor_key");
  const key = Buffer.from(hkdfSync("sha256", secret.value, "", "earshot closed identities", 32));
  return createHmac("sha256", key).update(`${provider}:${subject}`).digest();
}
