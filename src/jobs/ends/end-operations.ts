import { durable, read } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import type { JobFailure } from "../job.ts";
import { deadlinePassed } from "../leases/retries.ts";
import { inAccountOrder, type JobSnapshot, visibleChange } from "../reads/visible-change.ts";
import { noLease, sourceStatesSql } from "../states.ts";
import { deleteExpiredFetchedPosts } from "./fetched-operations.ts";

type End = { uuid: string; nowMs: number };

const timeOut = visibleChange<End & { failure: string }>("timeOut", {
  set: `finished_ms = :nowMs, failure = :failure, ${noLease}`,
  where: "uuid = :uuid",
});

const cancel = visibleChange<End & { accountId: string }>("cancel", {
  set: `finished_ms = :nowMs, ${noLease}`,
  where: "uuid = :uuid AND account_id = :accountId",
});

const expire = visibleChange<End>("expire", { set: "result = NULL", where: "uuid = :uuid" });

/**
 * Ends jobs without an answer from a node, and enforces retention. Batches keep transactions short.
 */
export const endOperations = {
  cancelJob: durable(function* (
    database,
    { accountId, uuid, nowMs }: End & { accountId: string },
  ): Steps<JobSnapshot | "forgotten" | null> {
    const snapshot = yield* cancel(database, { accountId, uuid, nowMs });
    if (snapshot !== null) return snapshot;
    const forgotten = yield* database.run(
      `DELETE FROM job WHERE uuid = :uuid AND account_id = :accountId AND ${sourceStatesSql("forget")}`,
      { accountId, uuid },
    );
    return forgotten === 1 ? "forgotten" : null;
  }),

  cancelJobsOf: durable(function* (
    database,
    { accountId, nowMs }: { accountId: string; nowMs: number },
  ): Steps<{ snapshots: JobSnapshot[]; hasMore: boolean }> {
    const cancellableJobs = yield* database.all<{ uuid: string }>(
      `SELECT uuid FROM job WHERE account_id = :accountId AND finished_ms IS NULL AND ${sourceStatesSql("cancel")}
         LIMIT ${sweepRows}`,
      { accountId },
    );
    const snapshots = yield* mapNonNull(cancellableJobs, ({ uuid }) =>
      cancel(database, { accountId, uuid, nowMs }),
    );
    return { snapshots, hasMore: cancellableJobs.length === sweepRows };
  }),

  overdueJobs: read(function* (database, { deadlineMs }: { deadlineMs: number }): Steps<string[]> {
    const overdueRows = yield* database.all<{ uuid: string }>(
      `SELECT uuid FROM job WHERE finished_ms IS NULL AND ${sourceStatesSql("timeOut")} AND deadline_ms <= :deadlineMs`,
      { deadlineMs },
    );
    return overdueRows.map(({ uuid }) => uuid);
  }),

  timeOutJobs: durable(function* (
    database,
    {
      uuids,
      nowMs,
      failure = deadlinePassed,
    }: { uuids: readonly string[]; nowMs: number; failure?: JobFailure },
  ): Steps<JobSnapshot[]> {
    const jobs = yield* inAccountOrder(
      database,
      uuids.map((uuid) => ({ uuid })),
    );
    return yield* mapNonNull(jobs, ({ uuid }) =>
      timeOut(database, { uuid, nowMs, failure: JSON.stringify(failure) }),
    );
  }),

  /**
   * Deletes one batch each of expired results and fetched posts, jobs that ended by `endedMs`, and
   * idempotency keys created by `keyedMs`.
   */
  expireJobs: durable(function* (database, times: RetentionTimes): Steps<ExpiredJobs> {
    const { nowMs } = times;
    const overdueRows = yield* database.all<{ uuid: string }>(expiredSql, { nowMs });
    const snapshots = yield* mapNonNull(overdueRows, ({ uuid }) =>
      expire(database, { uuid, nowMs }),
    );
    return {
      snapshots,
      hasMore: (yield* deleteExpiredRows(database, times)) || overdueRows.length === sweepRows,
    };
  }),
};

export type RetentionTimes = { nowMs: number; endedMs: number; keyedMs: number };
export type ExpiredJobs = { snapshots: JobSnapshot[]; hasMore: boolean };

export const sweepRows = 500;

const expiredSql = `SELECT uuid FROM job WHERE state = 'done' AND expires_ms <= :nowMs LIMIT ${sweepRows}`;

/** True if more rows may be left. */
export function* deleteExpiredRows(
  database: Database,
  { nowMs, endedMs, keyedMs }: RetentionTimes,
): Steps<boolean> {
  const deletedJobs = yield* database.run(
    `DELETE FROM job WHERE sequence IN (SELECT sequence FROM job
                                          WHERE finished_ms <= :endedMs LIMIT ${sweepRows})
         AND ${sourceStatesSql("forget")}`,
    { endedMs },
  );
  const deletedKeys = yield* database.run(
    `DELETE FROM idempotency WHERE (account_id, key) IN (SELECT account_id, key FROM idempotency
                                                           WHERE created_ms <= :keyedMs LIMIT ${sweepRows})`,
    { keyedMs },
  );
  const deletedPosts = yield* deleteExpiredFetchedPosts(database, { nowMs, limit: sweepRows });
  return [deletedJobs, deletedKeys, deletedPosts].includes(sweepRows);
}
