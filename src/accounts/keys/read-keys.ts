import type { Database, Steps } from "../../db/statements.ts";
import {
  accountLimitsSql,
  type DeploymentLimits,
  effectiveLimitsSql,
  type KeyLimits,
  parseMethods,
  type StoredKey,
} from "./key.ts";

export type OwnKey = StoredKey & {
  /** Where a limit is null, the account's applies. */
  ownLimits: KeyLimits;
  effectiveLimits: DeploymentLimits;
  /** Shared by all keys of the account; null means no limit. */
  accountRequestsPerSecond: number | null;
  accountSubmissionsPerMinute: number | null;
};

type Row = Omit<StoredKey, "methods"> &
  DeploymentLimits &
  Pick<OwnKey, "accountRequestsPerSecond" | "accountSubmissionsPerMinute"> & {
    methods: string | null;
    hasOwnRequests: number;
    hasOwnSubmissions: number;
  };

export const keyColumns = `
  api_key.id, account_id AS accountId, api_key.name, methods, api_key.created_ms AS createdMs, expires_ms AS expiresMs,
  CASE revoked WHEN 0 THEN NULL ELSE coalesce(revoked_ms, api_key.created_ms) END AS revokedMs,
  used_ms AS usedMs, used_from AS usedFrom, successor_id AS successorId`;

const ownKeysSql = `
  SELECT ${keyColumns}, ${effectiveLimitsSql}, ${accountLimitsSql},
    coalesce(api_key.requests_per_second, owner_requests_per_second) IS NOT NULL AS hasOwnRequests,
    coalesce(api_key.submissions_per_minute, owner_submissions_per_minute) IS NOT NULL AS hasOwnSubmissions
  FROM api_key JOIN account ON account.id = account_id
  WHERE account_id = :accountId`;

export function* ownKey(
  database: Database,
  { accountId, id, limits }: { accountId: string; id: string; limits: DeploymentLimits },
): Steps<OwnKey | null> {
  const row = yield* database.get<Row>(`${ownKeysSql} AND api_key.id = :id`, {
    accountId,
    id,
    ...makeRates(limits),
  });
  return row === undefined ? null : toOwnKey(row);
}

/** Newest first. Omits keys that had ended by `endedSinceMs`. */
export function* ownKeyList(
  database: Database,
  request: { accountId: string; endedSinceMs: number; limits: DeploymentLimits },
): Steps<OwnKey[]> {
  const { accountId, endedSinceMs, limits } = request;
  return (yield* database.all<Row>(
    `${ownKeysSql} AND (revoked = 0 OR revoked_ms > :endedSinceMs)
         AND (expires_ms IS NULL OR expires_ms > :endedSinceMs)
       ORDER BY api_key.created_ms DESC, api_key.id`,
    { accountId, endedSinceMs, ...makeRates(limits) },
  )).map(toOwnKey);
}

function toOwnKey(row: Row): OwnKey {
  const { methods, requestsPerSecond, submissionsPerMinute, hasOwnRequests, hasOwnSubmissions } =
    row;
  return {
    id: row.id,
    accountId: row.accountId,
    name: row.name,
    methods: parseMethods(methods),
    createdMs: row.createdMs,
    expiresMs: row.expiresMs,
    revokedMs: row.revokedMs,
    usedMs: row.usedMs,
    usedFrom: row.usedFrom,
    successorId: row.successorId,
    ownLimits: {
      requestsPerSecond: hasOwnRequests === 1 ? requestsPerSecond : null,
      submissionsPerMinute: hasOwnSubmissions === 1 ? submissionsPerMinute : null,
    },
    effectiveLimits: { requestsPerSecond, submissionsPerMinute },
    accountRequestsPerSecond: row.accountRequestsPerSecond,
    accountSubmissionsPerMinute: row.accountSubmissionsPerMinute,
  };
}

/** SQLite rejects parameters that the statement does not name. */
function makeRates({
  requestsPerSecond,
  submissionsPerMinute,
}: DeploymentLimits): DeploymentLimits {
  return { requestsPerSecond, submissionsPerMinute };
}
