import { containsPattern } from "../../db/like-pattern.ts";
import { read } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import { accountNameSql, isNotDeletedSql } from "./names.ts";
import { accountHint, findAccountId, unknownAccount } from "./resolve-account.ts";

export type Role = "member" | "operator";

/** Where a limit is null, the deployment's applies. */
export type AccountListing = {
  id: string;
  name: string;
  provider: string | null;
  role: Role;
  createdMs: number;
  seenMs: number | null;
  suspendedMs: number | null;
  suspendedReason: string | null;
  keys: number;
  searches24h: number;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

export type AccountPosition = { createdMs: number; id: string };

export type AccountPageRequest = {
  /** Part of the login, name or ID; null lists all. */
  query: string | null;
  after: AccountPosition | null;
  limit: number;
  nowMs: number;
};

const dayMs = 86_400_000;

export const listingOperations = {
  /** `lastScanned` is null at the end. */
  listAccounts: read(function* (
    database,
    { query, after, limit, nowMs }: AccountPageRequest,
  ): Steps<{ accounts: AccountListing[]; lastScanned: AccountPosition | null }> {
    const position = {
      afterMs: after?.createdMs ?? Number.MAX_SAFE_INTEGER,
      afterId: after?.id ?? "",
    };
    const lastScanned = yield* database.get<AccountPosition>(
      `SELECT created_ms AS createdMs, id FROM account WHERE ${olderAccountsSql}
         ORDER BY created_ms DESC, id DESC LIMIT 1 OFFSET ${accountsPerScan - 1}`,
      position,
    );
    const accounts = yield* database.all<AccountListing>(
      `${listingSql} WHERE ${isNotDeletedSql} AND ${olderAccountsSql} AND (account.created_ms, account.id) >= (:seenMs, :seenId)
           AND (CAST(:pattern AS TEXT) IS NULL OR account.name LIKE :pattern ESCAPE '\\' OR account.id LIKE :pattern ESCAPE '\\'
             OR EXISTS (SELECT 1 FROM identity WHERE account_id = account.id AND login LIKE :pattern ESCAPE '\\'))
         ORDER BY account.created_ms DESC, account.id DESC LIMIT :limit`,
      {
        ...timeParameters(nowMs),
        ...position,
        seenMs: lastScanned?.createdMs ?? -Number.MAX_SAFE_INTEGER,
        seenId: lastScanned?.id ?? "",
        pattern: query === null ? null : containsPattern(query),
        limit,
      },
    );
    return { accounts, lastScanned: lastScanned ?? null };
  }),

  findAccount: read(function* (
    database,
    { id, nowMs }: { id: string; nowMs: number },
  ): Steps<AccountListing | null> {
    return yield* accountListing(database, id, nowMs);
  }),

  /** Omits deleted accounts. */
  accountNames: read(function* (
    database,
    { ids }: { ids: readonly string[] },
  ): Steps<{ id: string; name: string }[]> {
    return yield* database.all(
      `SELECT id, ${accountNameSql} AS name FROM account
       WHERE ${isNotDeletedSql} AND id IN (SELECT value FROM json_each(:ids))`,
      { ids: JSON.stringify(ids) },
    );
  }),

  resolveAccount: read(function* (database, { account }: { account: string }): Steps<string> {
    const id = yield* findAccountId(database, account);
    if (id === null) throw unknownAccount(account, yield* accountHint(database, account));
    return id;
  }),
};

const listingSql = `SELECT account.id, ${accountNameSql} AS name,
    (SELECT provider FROM identity WHERE identity.account_id = account.id ORDER BY seen_ms DESC LIMIT 1) AS provider,
    role, account.created_ms AS createdMs, suspended_ms AS suspendedMs, suspended_reason AS suspendedReason,
    nullif(max(
      coalesce((SELECT max(used_ms) FROM session WHERE session.account_id = account.id), -1),
      max(
        coalesce((SELECT max(used_ms) FROM api_key WHERE api_key.account_id = account.id), -1),
        coalesce((SELECT max(used_ms) FROM oauth_grant WHERE oauth_grant.account_id = account.id), -1)),
      coalesce((SELECT max(seen_ms) FROM identity WHERE identity.account_id = account.id), -1)), -1) AS seenMs,
    (SELECT count(*) FROM api_key WHERE api_key.account_id = account.id AND revoked = 0
       AND (expires_ms IS NULL OR expires_ms > :nowMs)) AS keys,
    coalesce((SELECT sum(calls) FROM usage WHERE usage.account_id = account.id AND bucket_ms > :dayAgoMs AND method <> ''), 0)
      AS searches24h,
    requests_per_second AS requestsPerSecond, submissions_per_minute AS submissionsPerMinute
  FROM account`;

/** Accounts scanned per call, which takes a few milliseconds. */
const accountsPerScan = 1_000;

const olderAccountsSql = "(account.created_ms, account.id) < (:afterMs, :afterId)";

const timeParameters = (nowMs: number) => ({ nowMs, dayAgoMs: nowMs - dayMs });

export function* accountListing(
  database: Database,
  id: string,
  nowMs: number,
): Steps<AccountListing | null> {
  const row = yield* database.get<AccountListing>(
    `${listingSql} WHERE account.id = :id AND ${isNotDeletedSql}`,
    {
      id,
      ...timeParameters(nowMs),
    },
  );
  return row ?? null;
}
