import type { Database } from "../db/open.ts";
import { durable, read, relaxed } from "../db/operations.ts";
import type { LeaseFailure } from "../nodes/lease.ts";
import type { JobFailure, JobState } from "./job.ts";
import {
  afterFailure,
  deadlinePassed,
  type FailedAttempt,
  nodeLost,
  type RetryRules,
  threadDied,
} from "./retries.ts";
import { leadsTo, startsFrom } from "./states.ts";
import type { JobRow } from "./stored.ts";

/**
 * Every read and change of the job table. A change compares state and, where a node makes it, the token of the lease; one that
 * finds the job otherwise changes nothing and says so. Times are Unix milliseconds. On disk before they resolve: submission
 * and every end; a lease is not, since a crash ends it anyway.
 */
export type JobInsertion = Pick<
  JobRow,
  | "uuid"
  | "accountId"
  | "keyId"
  | "request"
  | "canonicalQuery"
  | "warnings"
  | "submittedMs"
  | "deadlineMs"
>;

export type LeaseTerms = {
  uuid: string;
  token: string;
  node: string;
  nowMs: number;
  untilMs: number;
};

export type JobCompletion = {
  uuid: string;
  token: string;
  nowMs: number;
  expiresMs: number;
  /** JSON of `encodeResult`. */
  result: string;
};

/** Where a job stands after an attempt failed. */
export type AttemptEnd = {
  uuid: string;
  state: JobState;
  /** When the next attempt may start; null when there is none. */
  notBeforeMs: number | null;
};

/** A job that the queue takes up at start. */
export type RecoveredJob = Pick<
  JobRow,
  "uuid" | "accountId" | "keyId" | "request" | "notBeforeMs" | "deadlineMs"
>;

export type Submission = { keyId: string; ms: number };

const rowColumns = `uuid, account_id AS accountId, key_id AS keyId, request, canonical_query AS canonicalQuery,
  warnings, state, attempts, node, not_before_ms AS notBeforeMs, submitted_ms AS submittedMs,
  deadline_ms AS deadlineMs, started_ms AS startedMs, finished_ms AS finishedMs, expires_ms AS expiresMs,
  result, failure`;

export type JobOperations = typeof jobOperations;

export const jobOperations = {
  insertJob: durable((database, job: JobInsertion): null => {
    database.run(
      `INSERT INTO job(uuid, account_id, key_id, request, canonical_query, warnings, state, submitted_ms, deadline_ms)
       VALUES(:uuid, :accountId, :keyId, :request, :canonicalQuery, :warnings, 'received', :submittedMs, :deadlineMs)`,
      job,
    );
    return null;
  }),

  /** The number of the attempt; null when the job does not wait any more or its deadline has passed. */
  leaseJob: relaxed((database, terms: LeaseTerms): number | null => {
    const row = database.get<{ attempts: number }>(
      `UPDATE job SET ${leadsTo("lease")}, attempts = attempts + 1, lease_token = :token, lease_until_ms = :untilMs,
              node = :node, started_ms = coalesce(started_ms, :nowMs)
       WHERE uuid = :uuid AND ${startsFrom("lease")} AND deadline_ms > :nowMs
       RETURNING attempts`,
      terms,
    );
    return row?.attempts ?? null;
  }),

  /** Whether the lease was still held. */
  renewLease: relaxed(
    (database, lease: { uuid: string; token: string; untilMs: number }): boolean =>
      database.run(
        `UPDATE job SET lease_until_ms = :untilMs
         WHERE uuid = :uuid AND lease_token = :token AND ${startsFrom("renew")}`,
        lease,
      ) === 1,
  ),

  /** The job as it is now that it is done; null when the lease was not held any more. */
  completeJob: durable(
    (database, completion: JobCompletion): JobRow | null =>
      database.get<JobRow>(
        `UPDATE job SET ${leadsTo("complete")}, result = :result, finished_ms = :nowMs, expires_ms = :expiresMs,
                lease_token = NULL, lease_until_ms = NULL
         WHERE uuid = :uuid AND lease_token = :token AND ${startsFrom("complete")}
         RETURNING ${rowColumns}`,
        completion,
      ) ?? null,
  ),

  /** Ends an attempt; null when the lease was not held any more. */
  failJob: durable(
    (
      database,
      args: { uuid: string; token: string; failure: LeaseFailure; nowMs: number } & RetryRules,
    ): AttemptEnd | null => {
      const attempt = database.get<Attempt>(
        `SELECT uuid, attempts, reader_deaths AS readerDeaths, deadline_ms AS deadlineMs FROM job
         WHERE uuid = :uuid AND lease_token = :token AND ${startsFrom("fail")}`,
        { uuid: args.uuid, token: args.token },
      );
      return attempt === undefined ? null : endAttempt(database, attempt, args.failure, args);
    },
  ),

  /** Ends the attempts whose leases have lapsed. */
  endLapsedLeases: durable((database, args: { nowMs: number } & RetryRules): AttemptEnd[] =>
    database
      .all<Attempt>(
        `SELECT uuid, attempts, reader_deaths AS readerDeaths, deadline_ms AS deadlineMs FROM job
         WHERE lease_until_ms <= :nowMs AND ${startsFrom("fail")}`,
        { nowMs: args.nowMs },
      )
      .map((attempt) => endAttempt(database, attempt, nodeLost, args)),
  ),

  /** Ends the jobs whose deadline has passed; a job in progress has `graceMs` more to hand in what it found. */
  timeOutJobs: durable((database, { nowMs, graceMs }: { nowMs: number; graceMs: number }) =>
    database
      .all<{ uuid: string }>(
        `UPDATE job SET ${leadsTo("timeOut")}, finished_ms = :nowMs, failure = :failure,
                lease_token = NULL, lease_until_ms = NULL
         WHERE ${startsFrom("timeOut")}
           AND deadline_ms + CASE state WHEN 'in progress' THEN :graceMs ELSE 0 END <= :nowMs
         RETURNING uuid`,
        { nowMs, graceMs, failure: JSON.stringify(deadlinePassed) },
      )
      .map(({ uuid }) => uuid),
  ),

  /**
   * At the start of a server, before it takes work: jobs in progress were run by a process that is gone and are received
   * again, without the attempt; the time in which no server ran is added to the deadlines. All that wait, oldest first.
   */
  recoverJobs: durable((database, { nowMs }: { nowMs: number }): RecoveredJob[] => {
    const heartbeat = database.get<{ value: number }>(
      "SELECT value FROM setting WHERE name = 'heartbeat'",
    );
    database.run(
      `UPDATE job SET deadline_ms = deadline_ms + max(0, :nowMs - max(:heartbeatMs, submitted_ms))
       WHERE ${startsFrom("timeOut")}`,
      { nowMs, heartbeatMs: heartbeat?.value ?? nowMs },
    );
    database.run(
      `UPDATE job SET ${leadsTo("recover")}, attempts = attempts - 1, lease_token = NULL, lease_until_ms = NULL
       WHERE ${startsFrom("recover")}`,
    );
    beat(database, nowMs);
    return database.all<RecoveredJob>(
      `SELECT uuid, account_id AS accountId, key_id AS keyId, request, not_before_ms AS notBeforeMs,
              deadline_ms AS deadlineMs
       FROM job WHERE ${startsFrom("lease")} ORDER BY sequence`,
    );
  }),

  /** Notes that a server runs: the last of these tells the next one how long none did. */
  beat: relaxed((database, { nowMs }: { nowMs: number }): null => {
    beat(database, nowMs);
    return null;
  }),

  /** Drops results past their time and forgets jobs long ended, some at a time; whether there may be more. */
  expireJobs: relaxed((database, args: { nowMs: number; retentionMs: number }): boolean => {
    const expired = database.run(
      `UPDATE job SET ${leadsTo("expire")}, result = NULL
       WHERE sequence IN (SELECT sequence FROM job
                          WHERE state = 'done' AND expires_ms <= :nowMs LIMIT ${sweepRows})`,
      { nowMs: args.nowMs },
    );
    const forgotten = database.run(
      `DELETE FROM job WHERE sequence IN (SELECT sequence FROM job
                                          WHERE finished_ms <= :finishedMs LIMIT ${sweepRows})`,
      { finishedMs: args.nowMs - args.retentionMs },
    );
    return expired === sweepRows || forgotten === sweepRows;
  }),

  /** The row of an account's job; null when the uuid (in any case) is unknown or another account's. */
  findJob: read(
    (database, { accountId, uuid }: { accountId: string; uuid: string }): JobRow | null => {
      const row = database.get<JobRow>(
        `SELECT ${rowColumns}
         FROM job WHERE uuid = :uuid AND account_id = :accountId`,
        { accountId, uuid: uuid.toLowerCase() },
      );
      return row ?? null;
    },
  ),

  /** Key and time of the jobs submitted after `sinceMs`, newest first. */
  submissionsSince: read((database, { sinceMs }: { sinceMs: number }): Submission[] =>
    database.all(
      `SELECT key_id AS keyId, submitted_ms AS ms FROM job
       WHERE sequence > coalesce((SELECT sequence FROM job WHERE submitted_ms <= :sinceMs
                                  ORDER BY sequence DESC LIMIT 1), 0)
       ORDER BY sequence DESC`,
      { sinceMs },
    ),
  ),
};

type Attempt = Omit<FailedAttempt, "failure"> & { uuid: string };

/** Rows that one sweep changes, so that no transaction holds the writer for long. */
const sweepRows = 500;

function beat(database: Database, nowMs: number): void {
  database.run(
    `INSERT INTO setting VALUES('heartbeat', :nowMs) ON CONFLICT(name) DO UPDATE SET value = :nowMs`,
    { nowMs },
  );
}

function endAttempt(
  database: Database,
  attempt: Attempt,
  failure: LeaseFailure,
  rules: { nowMs: number } & RetryRules,
): AttemptEnd {
  const readerDeaths = attempt.readerDeaths + (failure.code === threadDied ? 1 : 0);
  const after = afterFailure({ ...attempt, failure, readerDeaths }, rules, rules.nowMs);
  const { uuid } = attempt;
  if (after.kind === "error") {
    endWithError(database, uuid, after.failure, rules.nowMs);
    return { uuid, state: "error", notBeforeMs: null };
  }
  database.run(
    `UPDATE job SET ${leadsTo("retry")}, not_before_ms = :notBeforeMs, reader_deaths = :readerDeaths,
            lease_token = NULL, lease_until_ms = NULL
     WHERE uuid = :uuid AND ${startsFrom("retry")}`,
    { uuid, notBeforeMs: after.notBeforeMs, readerDeaths },
  );
  return { uuid, state: "error(retrying)", notBeforeMs: after.notBeforeMs };
}

function endWithError(database: Database, uuid: string, failure: JobFailure, nowMs: number): void {
  database.run(
    `UPDATE job SET ${leadsTo("fail")}, finished_ms = :nowMs, failure = :failure,
            lease_token = NULL, lease_until_ms = NULL
     WHERE uuid = :uuid AND ${startsFrom("fail")}`,
    { uuid, nowMs, failure: JSON.stringify(failure) },
  );
}
