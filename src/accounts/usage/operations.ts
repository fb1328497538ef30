import { read, relaxed, withRowLocks } from "../../db/operations.ts";
import type { Database, Steps } from "../../db/statements.ts";
import type { Method } from "../../platforms/methods.ts";
import { isConnectedSql } from "../grants/grant-rows.ts";
import { addLatencies, parseLatencies, printLatencies } from "./latency-histogram.ts";
import { requestLogOperations } from "./request-log-operations.ts";

export type UsageRow = {
  accountId: string;
  bucketMs: number;
  /** Empty if the key was not recorded. */
  keyId: string;
  /** Empty in rows that count requests. */
  method: Method | "";
  calls: number;
  refused: number;
  failed: number;
  posts: number;
  latencies: string;
};

export type KeyUse = { keyId: string; usedMs: number; usedFrom: string };

/** A null `keyId` means all keys. */
export type UsageRequest = {
  accountId: string;
  keyId: string | null;
  fromMs: number;
  toMs: number;
  widthMs: number;
};

export type GroupedUsage = Pick<
  UsageRow,
  "method" | "calls" | "refused" | "failed" | "posts" | "latencies"
> & { startMs: number };

/** `refused`: over a rate limit; `failed`: with a 5xx status. */
export type UsageCounts = {
  requests: number;
  refused: number;
  failed: number;
  searches: number;
  searchesFailed: number;
  posts: number;
};

export type AccountUsage = UsageCounts & { accountId: string };

export type UsageOperations = typeof usageOperations;

/** Bounds how long a deletion blocks the writer. */
const maxDeletedRows = 2_000;

/** Writes are not durable, because usage is not worth a sync. */
export const usageOperations = {
  ...requestLogOperations,

  ...withRowLocks({
    addUsage: relaxed(function* (
      database,
      { rows, uses }: { rows: readonly UsageRow[]; uses: readonly KeyUse[] },
    ): Steps<null> {
      for (const row of rows.toSorted((a, b) => (rowKey(a) < rowKey(b) ? -1 : 1)))
        yield* addRow(database, row);
      for (const use of uses.toSorted((a, b) => (a.keyId < b.keyId ? -1 : 1))) {
        for (const table of ["api_key", "oauth_grant"]) {
          const changedCount = yield* database.run(
            `UPDATE ${table} SET used_ms = :usedMs, used_from = :usedFrom
             WHERE id = :keyId AND (used_ms IS NULL OR used_ms <= :usedMs)`,
            use,
          );
          if (changedCount > 0) break;
        }
      }
      return null;
    }),
  }),

  /**
   * A busy account has a thousand rows a day, so read one day per call. `keyIds`: all keys used in
   * that time.
   */
  usageOf: read(function* (
    database,
    request: UsageRequest,
  ): Steps<{ groups: GroupedUsage[]; keyIds: string[] }> {
    const { accountId, fromMs, toMs } = request;
    const groups = yield* database.all<GroupedUsage>(
      `SELECT bucket_ms - bucket_ms % :widthMs AS startMs, method, sum(calls) AS calls, sum(refused) AS refused,
         sum(failed) AS failed, sum(posts) AS posts, group_concat(latencies, ' ') AS latencies
       FROM usage
       WHERE account_id = :accountId AND bucket_ms >= :fromMs AND bucket_ms < :toMs
         AND (CAST(:keyId AS TEXT) IS NULL OR key_id = :keyId)
       GROUP BY 1, 2`,
      request,
    );
    const keys = yield* database.all<{ keyId: string }>(
      `SELECT DISTINCT key_id AS keyId FROM usage
       WHERE account_id = :accountId AND bucket_ms >= :fromMs AND bucket_ms < :toMs`,
      { accountId, fromMs, toMs },
    );
    return { groups, keyIds: keys.map(({ keyId }) => keyId) };
  }),

  /** Omits latencies. Read one day per call. */
  usageOfAccounts: read(function* (
    database,
    request: { accountIds: readonly string[]; fromMs: number; toMs: number },
  ): Steps<AccountUsage[]> {
    return yield* database.all<AccountUsage>(
      `SELECT account_id AS accountId,
         sum(CASE WHEN method = '' THEN calls ELSE 0 END) AS requests,
         sum(CASE WHEN method = '' THEN refused ELSE 0 END) AS refused,
         sum(CASE WHEN method = '' THEN failed ELSE 0 END) AS failed,
         sum(CASE WHEN method = '' THEN 0 ELSE calls END) AS searches,
         sum(CASE WHEN method = '' THEN 0 ELSE failed END) AS searchesFailed,
         sum(posts) AS posts
       FROM usage WHERE account_id IN (SELECT value FROM json_each(:accountIds))
         AND bucket_ms >= :fromMs AND bucket_ms < :toMs
       GROUP BY account_id`,
      { ...request, accountIds: JSON.stringify(request.accountIds) },
    );
  }),

  /** Valid keys and connected apps, and ended ones in `keyIds`; newest first. */
  keyNames: read(function* (
    database,
    request: { accountId: string; keyIds: readonly string[]; nowMs: number },
  ): Steps<{ id: string; name: string; ended: boolean }[]> {
    return (yield* database.all<{ id: string; name: string; ended: number }>(
      `SELECT id, name, ended FROM (
             SELECT id, name, created_ms, CASE WHEN revoked = 1 OR expires_ms <= :nowMs THEN 1 ELSE 0 END AS ended
             FROM api_key WHERE account_id = :accountId
             UNION ALL
             SELECT id, client_name, created_ms, CASE WHEN ${isConnectedSql} THEN 0 ELSE 1 END
             FROM oauth_grant WHERE account_id = :accountId
           ) AS keys
           WHERE ended = 0 OR id IN (SELECT value FROM json_each(:keyIds))
           ORDER BY created_ms DESC, id`,
      { ...request, keyIds: JSON.stringify(request.keyIds) },
    )).map((row) => ({ ...row, ended: row.ended === 1 }));
  }),

  ownsKey: read(function* (
    database,
    request: { accountId: string; keyId: string },
  ): Steps<boolean> {
    return (
      (yield* database.get(
        `SELECT 1 FROM api_key WHERE id = :keyId AND account_id = :accountId
         UNION ALL SELECT 1 FROM oauth_grant WHERE id = :keyId AND account_id = :accountId`,
        request,
      )) !== undefined
    );
  }),

  dropUsage: relaxed(function* (database, { beforeMs }: { beforeMs: number }): Steps<boolean> {
    return (
      (yield* database.run(
        `DELETE FROM usage WHERE (account_id, bucket_ms, key_id, method) IN (
           SELECT account_id, bucket_ms, key_id, method FROM usage WHERE bucket_ms < :beforeMs LIMIT ${maxDeletedRows}
         )`,
        { beforeMs },
      )) === maxDeletedRows
    );
  }),
};

/** Gateways lock rows in this order, to avoid deadlocks. */
const rowKey = ({ keyId, method, bucketMs, accountId }: UsageRow): string =>
  `${keyId} ${method} ${bucketMs} ${accountId}`;

/** The first statement locks the row, so that no other gateway adds latencies before the second. */
function* addRow(database: Database, row: UsageRow): Steps<void> {
  const { accountId, bucketMs, keyId, method, calls, refused, failed, posts } = row;
  const key = { accountId, bucketMs, keyId, method };
  const storedRow = yield* database.get<{ latencies: string }>(
    `INSERT INTO usage(account_id, bucket_ms, key_id, method, calls, refused, failed, posts, latencies)
     SELECT :accountId, :bucketMs, :keyId, :method, :calls, :refused, :failed, :posts, ''
     WHERE EXISTS (SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted')
     ON CONFLICT(account_id, bucket_ms, key_id, method) DO UPDATE SET calls = usage.calls + excluded.calls,
       refused = usage.refused + excluded.refused, failed = usage.failed + excluded.failed, posts = usage.posts + excluded.posts
     RETURNING latencies`,
    { ...key, calls, refused, failed, posts },
  );
  if (storedRow === undefined || row.latencies === "") return;
  yield* database.run(
    `UPDATE usage SET latencies = :latencies
     WHERE account_id = :accountId AND bucket_ms = :bucketMs AND key_id = :keyId AND method = :method`,
    { ...key, latencies: mergeLatencies(storedRow.latencies, row.latencies) },
  );
}

function mergeLatencies(storedText: string, addedText: string): string {
  if (storedText === "" || addedText === "") return storedText + addedText;
  const histogram = parseLatencies(storedText);
  addLatencies(histogram, parseLatencies(addedText));
  return printLatencies(histogram);
}
