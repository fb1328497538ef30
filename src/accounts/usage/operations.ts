import type { Database } from "../../db/open.ts";
import { read, relaxed } from "../../db/operations.ts";
import type { Method } from "../../platforms/methods.ts";
import { addLatencies, parseLatencies, printLatencies } from "./latency-histogram.ts";

/** What was counted of one key and method in one quarter of an hour. */
export type UsageRow = {
  accountId: string;
  /** When the quarter began, Unix milliseconds. */
  bucketMs: number;
  /** Empty where the key was not noted. */
  keyId: string;
  /** Empty for requests; else jobs of the method. */
  method: Method | "";
  calls: number;
  refused: number;
  failed: number;
  posts: number;
  /** The text of a histogram (latency-histogram.ts). */
  latencies: string;
};

/** When a key was used last, and from which network. */
export type KeyUse = { keyId: string; usedMs: number; usedFrom: string };

/** Which rows are read, and the width of the stretches that they are put together in. `keyId` null: of all keys. */
export type UsageRequest = {
  accountId: string;
  keyId: string | null;
  fromMs: number;
  toMs: number;
  widthMs: number;
};

/** What a stretch holds of one method; `startMs` is a multiple of the width. */
export type UsageSum = Pick<
  UsageRow,
  "method" | "calls" | "refused" | "failed" | "posts" | "latencies"
> & { startMs: number };

export type UsageOperations = typeof usageOperations;

/** Rows that one statement drops, so that none holds the writer for long. */
const droppedAtOnce = 2_000;

/** What is counted of calls. None of it is worth waiting for a disk. */
export const usageOperations = {
  /** Adds to what is held. Rows of an account that is gone are dropped. */
  addUsage: relaxed(
    (database, { rows, uses }: { rows: readonly UsageRow[]; uses: readonly KeyUse[] }): null => {
      for (const row of rows) addRow(database, row);
      for (const use of uses) {
        database.run(
          `UPDATE api_key SET used_ms = :usedMs, used_from = :usedFrom
           WHERE id = :keyId AND (used_ms IS NULL OR used_ms <= :usedMs)`,
          use,
        );
      }
      return null;
    },
  ),

  /**
   * What an account used of a time, by stretch and method, and the keys that it used then, also where one alone is asked for. A
   * busy account has a thousand rows a day: ask for a day at a time.
   */
  usageOf: read((database, asked: UsageRequest): { sums: UsageSum[]; keyIds: string[] } => {
    const { accountId, fromMs, toMs } = asked;
    const sums = database.all<UsageSum>(
      `SELECT bucket_ms - bucket_ms % :widthMs AS startMs, method, sum(calls) AS calls, sum(refused) AS refused,
         sum(failed) AS failed, sum(posts) AS posts, group_concat(latencies, ' ') AS latencies
       FROM usage
       WHERE account_id = :accountId AND bucket_ms >= :fromMs AND bucket_ms < :toMs
         AND (:keyId IS NULL OR key_id = :keyId)
       GROUP BY 1, 2`,
      asked,
    );
    const keys = database.all<{ keyId: string }>(
      `SELECT DISTINCT key_id AS keyId FROM usage
       WHERE account_id = :accountId AND bucket_ms >= :fromMs AND bucket_ms < :toMs`,
      { accountId, fromMs, toMs },
    );
    return { sums, keyIds: keys.map(({ keyId }) => keyId) };
  }),

  /** The account's keys that are good, and those of a list; newest first. */
  keyNames: read(
    (
      database,
      asked: { accountId: string; keyIds: readonly string[]; nowMs: number },
    ): { id: string; name: string; ended: boolean }[] =>
      database
        .all<{ id: string; name: string; ended: number }>(
          `SELECT id, name, ended FROM (
             SELECT id, name, created_ms, revoked = 1 OR coalesce(expires_ms <= :nowMs, 0) AS ended
             FROM api_key WHERE account_id = :accountId
           )
           WHERE ended = 0 OR id IN (SELECT value FROM json_each(:keyIds))
           ORDER BY created_ms DESC, id`,
          { ...asked, keyIds: JSON.stringify(asked.keyIds) },
        )
        .map((row) => ({ ...row, ended: row.ended === 1 })),
  ),

  /** Whether a key is, or was, one of the account's. */
  ownsKey: read(
    (database, owned: { accountId: string; keyId: string }): boolean =>
      database.get("SELECT 1 FROM api_key WHERE id = :keyId AND account_id = :accountId", owned) !==
      undefined,
  ),

  /** Drops some of what lies before a time; whether there is more of it. */
  dropUsage: relaxed(
    (database, { beforeMs }: { beforeMs: number }): boolean =>
      database.run(
        `DELETE FROM usage WHERE (account_id, bucket_ms, key_id, method) IN (
           SELECT account_id, bucket_ms, key_id, method FROM usage WHERE bucket_ms < :beforeMs LIMIT ${droppedAtOnce}
         )`,
        { beforeMs },
      ) === droppedAtOnce,
  ),
};

function addRow(database: Database, row: UsageRow): void {
  const { accountId, bucketMs, keyId, method, calls, refused, failed, posts } = row;
  const place = { accountId, bucketMs, keyId, method };
  const held = database.get<{ latencies: string }>(
    `SELECT latencies FROM usage
     WHERE account_id = :accountId AND bucket_ms = :bucketMs AND key_id = :keyId AND method = :method`,
    place,
  );
  database.run(
    `INSERT INTO usage(account_id, bucket_ms, key_id, method, calls, refused, failed, posts, latencies)
     SELECT :accountId, :bucketMs, :keyId, :method, :calls, :refused, :failed, :posts, :latencies
     WHERE EXISTS (SELECT 1 FROM account WHERE id = :accountId AND ending IS NOT 'deleted')
     ON CONFLICT DO UPDATE SET calls = calls + excluded.calls, refused = refused + excluded.refused,
       failed = failed + excluded.failed, posts = posts + excluded.posts, latencies = excluded.latencies`,
    {
      ...place,
      calls,
      refused,
      failed,
      posts,
      latencies: mergedText(held?.latencies ?? "", row.latencies),
    },
  );
}

function mergedText(held: string, added: string): string {
  if (held === "" || added === "") return held + added;
  const merged = parseLatencies(held);
  addLatencies(merged, parseLatencies(added));
  return printLatencies(merged);
}
