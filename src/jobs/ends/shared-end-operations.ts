import { durable } from "../../db/operations.ts";
import type { Steps } from "../../db/statements.ts";
import { type ChangedRow, snapshotColumns, unannounced } from "../reads/visible-change.ts";
import { leadsTo } from "../states.ts";
import { deletePast, type ExpiredJobs, type PastTimes, sweepRows } from "./end-operations.ts";

const expireSql = `
  WITH over AS (SELECT uuid AS over_uuid, account_id AS owner FROM job
      WHERE state = 'done' AND expires_ms <= :nowMs LIMIT ${sweepRows} FOR UPDATE SKIP LOCKED),
    counted AS (SELECT owner, count(*) AS jobs FROM over GROUP BY owner),
    numbered AS (UPDATE account SET last_change = last_change + jobs FROM counted WHERE id = owner
      RETURNING id, last_change - jobs AS before),
    changes AS (SELECT over_uuid, before + row_number() OVER (PARTITION BY owner) AS number
      FROM over JOIN numbered ON id = owner)
  UPDATE job SET ${leadsTo("expire")}, changed_ms = :nowMs, change = changes.number, result = NULL
  FROM changes WHERE uuid = over_uuid
  RETURNING ${snapshotColumns}`;

/** Retention on PostgreSQL: a batch is one statement. */
export const sharedEndOperations = {
  expireJobs: durable(function* (database, before: PastTimes): Steps<ExpiredJobs> {
    const rows = yield* database.all<ChangedRow>(expireSql, {
      nowMs: before.nowMs,
    });
    const expired = rows.map(unannounced);
    return { expired, isMore: (yield* deletePast(database, before)) || rows.length === sweepRows };
  }),
};
