import { durable, read } from "../db/operations.ts";
import { dropFetched } from "./fetched-operations.ts";
import type { JobFailure } from "./job.ts";
import { deadlinePassed } from "./retries.ts";
import { noLease, startsFrom } from "./states.ts";
import { type JobSnapshot, visibleChange } from "./visible-change.ts";

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

/** Ends of jobs other than by their node, and retention. Batches keep transactions short. */
export const endOperations = {
  /** `forgotten` if the job had ended; null if the account has no such job. */
  cancelJob: durable(
    (
      database,
      { accountId, uuid, nowMs }: End & { accountId: string },
    ): JobSnapshot | "forgotten" | null => {
      const snapshot = cancel(database, { accountId, uuid, nowMs });
      if (snapshot !== null) return snapshot;
      const forgotten = database.run(
        `DELETE FROM job WHERE uuid = :uuid AND account_id = :accountId AND ${startsFrom("forget")}`,
        { accountId, uuid },
      );
      return forgotten === 1 ? "forgotten" : null;
    },
  ),

  /** A batch of an account's unfinished jobs. */
  cancelJobsOf: durable(
    (
      database,
      { accountId, nowMs }: { accountId: string; nowMs: number },
    ): { snapshots: JobSnapshot[]; isMore: boolean } => {
      const waiting = database.all<{ uuid: string }>(
        `SELECT uuid FROM job WHERE account_id = :accountId AND finished_ms IS NULL AND ${startsFrom("cancel")}
         LIMIT ${sweepRows}`,
        { accountId },
      );
      const snapshots = waiting
        .map(({ uuid }) => cancel(database, { accountId, uuid, nowMs }))
        .filter((snapshot) => snapshot !== null);
      return { snapshots, isMore: waiting.length === sweepRows };
    },
  ),

  overdueJobs: read((database, { deadlineMs }: { deadlineMs: number }): string[] =>
    database
      .all<{ uuid: string }>(
        `SELECT uuid FROM job WHERE finished_ms IS NULL AND ${startsFrom("timeOut")} AND deadline_ms <= :deadlineMs`,
        { deadlineMs },
      )
      .map(({ uuid }) => uuid),
  ),

  /** Snapshots of jobs that had not ended. */
  timeOutJobs: durable(
    (
      database,
      {
        uuids,
        nowMs,
        failure = deadlinePassed,
      }: { uuids: readonly string[]; nowMs: number; failure?: JobFailure },
    ): JobSnapshot[] =>
      uuids
        .map((uuid) => timeOut(database, { uuid, nowMs, failure: JSON.stringify(failure) }))
        .filter((snapshot) => snapshot !== null),
  ),

  /** Deletes a batch of expired results, jobs that ended by `endedMs`, and idempotency keys used by `keyedMs`. */
  expireJobs: durable(
    (
      database,
      { nowMs, endedMs, keyedMs }: { nowMs: number; endedMs: number; keyedMs: number },
    ): { expired: JobSnapshot[]; isMore: boolean } => {
      const over = database.all<{ uuid: string }>(
        `SELECT uuid FROM job WHERE state = 'done' AND expires_ms <= :nowMs LIMIT ${sweepRows}`,
        { nowMs },
      );
      const expired = over
        .map(({ uuid }) => expire(database, { uuid, nowMs }))
        .filter((snapshot) => snapshot !== null);
      const forgotten = database.run(
        `DELETE FROM job WHERE sequence IN (SELECT sequence FROM job
                                            WHERE finished_ms <= :endedMs LIMIT ${sweepRows})
           AND ${startsFrom("forget")}`,
        { endedMs },
      );
      const unkeyed = database.run(
        `DELETE FROM idempotency WHERE (account_id, key) IN (SELECT account_id, key FROM idempotency
                                                             WHERE created_ms <= :keyedMs LIMIT ${sweepRows})`,
        { keyedMs },
      );
      const dropped = dropFetched(database, { nowMs, limit: sweepRows });
      return { expired, isMore: [over.length, forgotten, unkeyed, dropped].includes(sweepRows) };
    },
  ),
};

const sweepRows = 500;
