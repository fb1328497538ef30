import type { Database, Steps } from "../../db/statements.ts";
import type { RandomBytes } from "../../lib/base62.ts";
import { isoTime } from "../../lib/iso-time.ts";
import type { Method } from "../../platforms/methods.ts";
import { hashSecret, newApiKey, printApiKey } from "../api-key.ts";
import { type Actor, newAuditId, writeAuditEntry } from "../audit.ts";
import { keyCreationsSql } from "../closed-identities.ts";
import { tooManyKeys, tooManyNewKeys } from "./errors.ts";
import { type CreatedKey, formatMethods, isLiveSql, type KeyLimits, liveKeySql } from "./key.ts";

export type NewKeyRow = {
  accountId: string;
  name: string;
  methods: readonly Method[] | null;
  /** Rates from the command line, which override the account's. */
  override: KeyLimits;
  ownerCaps: KeyLimits;
  expiresMs: number | null;
  nowMs: number;
};

/** The account then gets no first key automatically. */
export function* insertKey(
  database: Database,
  key: NewKeyRow,
  actor: Actor,
  randomBytes: RandomBytes,
): Steps<CreatedKey> {
  const { accountId, name, methods, override, ownerCaps, expiresMs, nowMs } = key;
  const { id, secret } = newApiKey(randomBytes);
  yield* database.run(
    `INSERT INTO api_key(id, account_id, name, secret_hash, audit_id, requests_per_second, submissions_per_minute,
       owner_requests_per_second, owner_submissions_per_minute, methods, expires_ms, created_ms)
     VALUES(:id, :accountId, :name, :secretHash, :auditId, :overrideRequests, :overrideSubmissions,
       :ownerRequests, :ownerSubmissions, :methods, :expiresMs, :nowMs)`,
    {
      id,
      accountId,
      name,
      secretHash: hashSecret(secret),
      auditId: newAuditId(randomBytes),
      overrideRequests: override.requestsPerSecond,
      overrideSubmissions: override.submissionsPerMinute,
      ownerRequests: ownerCaps.requestsPerSecond,
      ownerSubmissions: ownerCaps.submissionsPerMinute,
      methods: formatMethods(methods),
      expiresMs,
      nowMs,
    },
  );
  yield* database.run(
    "UPDATE account SET first_key_ms = :nowMs WHERE id = :accountId AND first_key_ms IS NULL",
    { accountId, nowMs },
  );
  yield* writeAuditEntry(database, {
    atMs: nowMs,
    action: "key_created",
    actor,
    accountId,
    keyId: id,
    detail: {
      requests_per_second: ownerCaps.requestsPerSecond ?? override.requestsPerSecond,
      submissions_per_minute: ownerCaps.submissionsPerMinute ?? override.submissionsPerMinute,
      methods: methods?.join(",") ?? null,
      expires_at: expiresMs === null ? null : isoTime(expiresMs),
    },
  });
  return { id, accountId, token: printApiKey({ id, secret }) };
}

/** Keys with a valid successor do not count. Errors: `too_many_keys`. */
export function* refuseTooManyKeys(
  database: Database,
  accountId: string,
  { maxKeys, actor, nowMs }: { maxKeys: number; actor: Actor; nowMs: number },
): Steps<void> {
  const liveKeys = yield* database.get<{ keys: number }>(
    `SELECT count(*) AS keys FROM api_key
     WHERE account_id = :accountId AND ${isLiveSql} AND NOT EXISTS
       (SELECT 1 FROM api_key AS successor WHERE successor.id = api_key.successor_id AND ${liveKeySql("successor")})`,
    { accountId, nowMs },
  );
  if ((liveKeys?.keys ?? 0) >= maxKeys) throw tooManyKeys(maxKeys, actor);
}

const dayMs = 86_400_000;

/**
 * Counts all keys of the last 24 hours, even those of a deleted predecessor account, because each
 * new key starts with unused rates. Errors: `too_many_keys`.
 */
export function* refuseTooManyNewKeys(
  database: Database,
  accountId: string,
  { newPerDay, nowMs }: { newPerDay: number; nowMs: number },
): Steps<void> {
  const recent = yield* database.get<{ createdMs: number }>(
    `SELECT ms AS createdMs FROM (${keyCreationsSql}) AS made WHERE ms > :sinceMs
     ORDER BY ms DESC LIMIT 1 OFFSET :before`,
    { accountId, sinceMs: nowMs - dayMs, before: newPerDay - 1 },
  );
  if (recent !== undefined) throw tooManyNewKeys(newPerDay, recent.createdMs + dayMs);
}
