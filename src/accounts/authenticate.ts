import { timingSafeEqual } from "node:crypto";
import type { Database, Steps } from "../db/statements.ts";
import type { Method } from "../platforms/methods.ts";
import {
  accountLimitsSql,
  type DeploymentLimits,
  effectiveLimitsSql,
  parseMethods,
} from "./keys/key.ts";

/** Where a rate is null, the deployment's applies. */
export type Caller = {
  keyId: string;
  accountId: string;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
  /** Shared by all calls of the account; no limit if null or absent. */
  accountRequestsPerSecond?: number | null;
  accountSubmissionsPerMinute?: number | null;
  /** Null means all methods. */
  methods: readonly Method[] | null;
  /** The key's ID, or its successor's after a rotation. */
  ratesKeyId: string;
  sessionId?: string;
  /** Equals `keyId`; set only for connected apps. */
  grantId?: string;
};

export type PresentedKey = DeploymentLimits & {
  id: string;
  secretHash: Uint8Array;
  /** An access token's resource; absent or null for a key. */
  resource?: string | null;
  nowMs: number;
};

export type AuthenticationRow = Omit<Caller, "methods" | "sessionId" | "grantId"> & {
  methods: string | null;
  grantId?: string;
  secretHash: Uint8Array | null;
  isKnown: number;
  isSuspended: number;
};

const placeholderHash = new Uint8Array(32);

export const authenticationSql = `
  SELECT coalesce(api_key.id, '00000000') AS keyId, coalesce(account_id, '000000000000') AS accountId,
    secret_hash AS secretHash, api_key.id IS NOT NULL AS isKnown,
    suspended_ms IS NOT NULL AS isSuspended, methods,
    coalesce(successor_id, api_key.id, '00000000') AS ratesKeyId, ${effectiveLimitsSql}, ${accountLimitsSql}
  FROM (SELECT 1) AS one
  LEFT JOIN api_key ON api_key.id = :id AND revoked = 0 AND (expires_ms IS NULL OR expires_ms > :nowMs)
  LEFT JOIN account ON account.id = coalesce(account_id, '000000000000')`;

export const tokenAuthenticationSql = `
  SELECT coalesce(oauth_grant.id, '00000000') AS keyId, coalesce(account_id, '000000000000') AS accountId,
    access_hash AS secretHash, oauth_grant.id IS NOT NULL AS isKnown,
    suspended_ms IS NOT NULL AS isSuspended, methods, oauth_grant.id AS grantId,
    coalesce(oauth_grant.id, '00000000') AS ratesKeyId,
    coalesce(account.requests_per_second, :requestsPerSecond) AS requestsPerSecond,
    coalesce(account.submissions_per_minute, :submissionsPerMinute) AS submissionsPerMinute,
    account.requests_per_second AS accountRequestsPerSecond,
    account.submissions_per_minute AS accountSubmissionsPerMinute
  FROM (SELECT 1) AS one
  LEFT JOIN oauth_grant ON oauth_grant.id = :id AND resource = :resource AND revoked_ms IS NULL AND access_expires_ms > :nowMs
  LEFT JOIN account ON account.id = coalesce(account_id, '000000000000')`;

/**
 * Null if the key is unknown, revoked, expired or wrong. Reads the database, because another
 * process may have revoked the key. A placeholder makes an unknown ID take as long as a wrong
 * secret.
 */
export function* authenticate(
  database: Database,
  presentedKey: PresentedKey,
): Steps<Caller | "suspended" | null> {
  const { id, secretHash, nowMs, requestsPerSecond, submissionsPerMinute, resource } = presentedKey;
  const request = { id, nowMs, requestsPerSecond, submissionsPerMinute };
  const found =
    resource == null
      ? yield* database.get<AuthenticationRow>(authenticationSql, request)
      : yield* database.get<AuthenticationRow>(tokenAuthenticationSql, { ...request, resource });
  return found === undefined ? null : keyCaller(found, secretHash);
}

export function keyCaller(
  row: AuthenticationRow,
  secretHash: Uint8Array,
): Caller | "suspended" | null {
  const isSame = timingSafeEqual(secretHash, row.secretHash ?? placeholderHash);
  if (!isSame || row.isKnown === 0) return null;
  if (row.isSuspended === 1) return "suspended";
  return {
    keyId: row.keyId,
    accountId: row.accountId,
    requestsPerSecond: row.requestsPerSecond,
    submissionsPerMinute: row.submissionsPerMinute,
    accountRequestsPerSecond: row.accountRequestsPerSecond ?? null,
    accountSubmissionsPerMinute: row.accountSubmissionsPerMinute ?? null,
    methods: parseMethods(row.methods),
    ratesKeyId: row.ratesKeyId,
    ...(row.grantId === undefined ? {} : { grantId: row.grantId }),
  };
}
