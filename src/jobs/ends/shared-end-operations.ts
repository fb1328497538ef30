import { type ArgsOf, durable, read } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import type { Platform } from "../../posts/post.ts";
import {
  accountOrder,
  type ChangedRow,
  snapshotColumns,
  withoutDeliveries,
} from "../reads/visible-change.ts";
import { targetStateSql } from "../states.ts";
import { storedPosts } from "../stored.ts";
import {
  deleteExpiredRows,
  type ExpiredJobs,
  type RetentionTimes,
  sweepRows,
} from "./end-operations.ts";
import { fetchedOperations } from "./fetched-operations.ts";

const expireSql = `
  WITH over AS (SELECT uuid AS over_uuid, account_id AS owner FROM job
      WHERE state = 'done' AND expires_ms <= :nowMs LIMIT ${sweepRows} FOR NO KEY UPDATE SKIP LOCKED),
    counted AS (SELECT owner, count(*) AS jobs FROM over GROUP BY owner),
    locked AS (SELECT id FROM account JOIN counted ON id = owner ORDER BY ${accountOrder} FOR NO KEY UPDATE OF account),
    numbered AS (UPDATE account SET last_change = last_change + jobs FROM locked JOIN counted ON locked.id = owner
      WHERE account.id = locked.id RETURNING account.id, last_change - jobs AS before),
    changes AS (SELECT over_uuid, before + row_number() OVER (PARTITION BY owner) AS number
      FROM over JOIN numbered ON id = owner)
  UPDATE job SET ${targetStateSql("expire")}, changed_ms = :nowMs, change = changes.number, result = NULL
  FROM changes WHERE uuid = over_uuid
  RETURNING ${snapshotColumns}`;

const resultWithPost = `SELECT result FROM job
  WHERE account_id = :accountId AND post_ids @> ARRAY[CAST(:id AS BIGINT)] AND state = 'done' AND expires_ms > :nowMs LIMIT 1`;

export const sharedFetchedOperations = {
  /** Includes posts that another gateway archived. */
  findFetched: read(function* (
    database,
    args: ArgsOf<typeof fetchedOperations.findFetched>,
  ): Steps<{ platform: Platform; uri: string }[]> {
    const posts = yield* fetchedOperations.findFetched.run(database, args);
    if (posts.length > 0) return posts;
    const row = yield* database.get<{ result: string }>(resultWithPost, args);
    return row === undefined ? [] : storedPosts(row.result, args.id);
  }),
};

export const sharedEndOperations = {
  expireJobs: durable(function* (database, times: RetentionTimes): Steps<ExpiredJobs> {
    const rows = yield* database.all<ChangedRow>(expireSql, {
      nowMs: times.nowMs,
    });
    const snapshots = rows.map(withoutDeliveries);
    return {
      snapshots,
      hasMore: (yield* deleteExpiredRows(database, times)) || rows.length === sweepRows,
    };
  }),
};
