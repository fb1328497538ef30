import type { Database } from "../db/open.ts";
import { durable, relaxed } from "../db/operations.ts";
import { type FetchedPost, storeFetched } from "./fetched-operations.ts";
import type { JobFailure } from "./job.ts";
import type { LeaseFailure } from "./lease.ts";
import {
  afterFailure,
  type FailedAttempt,
  nodeLost,
  type RetryRules,
  threadDied,
} from "./retries.ts";
import { leadsTo, noLease, shownRetryMs, startsFrom } from "./states.ts";
import { type JobSnapshot, visibleChange } from "./visible-change.ts";

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
  /** What of it leads back to posts that the archive does not hold. */
  fetched: readonly FetchedPost[];
};

/** A lease, and when the deadline of its job is by the present wall clock. */
export type ActiveLease = { uuid: string; token: string; deadlineMs: number };

/**
 * What follows on an attempt that failed: the end of its job, or, where `stand` is null, another attempt that is near enough
 * for nobody to be told.
 */
export type AttemptEnd = {
  uuid: string;
  /** When the next attempt may start; null when there is none. */
  notBeforeMs: number | null;
  stand: JobSnapshot | null;
};

const heldLease = "uuid = :uuid AND lease_token = :token";

const lease = visibleChange<LeaseTerms>("lease", {
  set: `attempts = attempts + 1, lease_token = :token, lease_until_ms = :untilMs, node = :node,
        started_ms = coalesce(started_ms, :nowMs)`,
  where: "uuid = :uuid",
});

const complete = visibleChange<Omit<JobCompletion, "fetched">>("complete", {
  set: `result = :result, finished_ms = :nowMs, expires_ms = :expiresMs, ${noLease}`,
  where: heldLease,
});

const fail = visibleChange<{ uuid: string; token: string; nowMs: number; failure: string }>(
  "fail",
  {
    set: `finished_ms = :nowMs, failure = :failure, ${noLease}`,
    where: heldLease,
  },
);

const giveBack = visibleChange<{ uuid: string; token: string; nowMs: number }>("giveBack", {
  set: `attempts = attempts - 1, ${noLease}`,
  where: heldLease,
});

type Retry = {
  uuid: string;
  token: string;
  nowMs: number;
  notBeforeMs: number;
  readerDeaths: number;
};

const forRetry = `not_before_ms = :notBeforeMs, reader_deaths = :readerDeaths, ${noLease}`;
const retry = visibleChange<Retry>("retry", { set: forRetry, where: heldLease });

/** What a node does with the jobs that it leases. */
export const leaseOperations = {
  /** Null when the job does not wait any more. Not on disk by itself: a crash ends the lease anyway. */
  leaseJob: relaxed(lease),

  /** Whether the lease was still held. */
  renewLease: relaxed(
    (database, held: { uuid: string; token: string; untilMs: number }): boolean =>
      database.run(
        `UPDATE job SET lease_until_ms = :untilMs WHERE ${heldLease} AND ${startsFrom("renew")}`,
        held,
      ) === 1,
  ),

  /** Null when the lease was not held any more. */
  completeJob: durable(
    (database, { fetched, ...completion }: JobCompletion): JobSnapshot | null => {
      const stand = complete(database, completion);
      const { uuid, expiresMs } = completion;
      if (stand !== null) storeFetched(database, { uuid, untilMs: expiresMs, posts: fetched });
      return stand;
    },
  ),

  /** Ends an attempt; null when the lease was not held any more. */
  failJob: durable(
    (
      database,
      args: { lease: ActiveLease; failure: LeaseFailure; nowMs: number } & RetryRules,
    ): AttemptEnd | null => endAttempt(database, args.lease, args.failure, args),
  ),

  /** Where jobs stand whose node gives them back; of those that it still held. Not on disk by itself: a crash does the same. */
  giveBackJobs: relaxed(
    (
      database,
      { leases, nowMs }: { leases: readonly ActiveLease[]; nowMs: number },
    ): JobSnapshot[] =>
      leases
        .map(({ uuid, token }) => giveBack(database, { uuid, token, nowMs }))
        .filter((stand) => stand !== null),
  ),

  /** Ends the attempts of nodes that were not heard of in time; of those that still hold their leases. */
  endLapsedLeases: durable(
    (
      database,
      { leases, ...rules }: { leases: readonly ActiveLease[]; nowMs: number } & RetryRules,
    ): AttemptEnd[] =>
      leases
        .map((held) => endAttempt(database, held, nodeLost, rules))
        .filter((end) => end !== null),
  ),
};

function endAttempt(
  database: Database,
  { uuid, token, deadlineMs }: ActiveLease,
  failure: LeaseFailure,
  rules: { nowMs: number } & RetryRules,
): AttemptEnd | null {
  const attempt = database.get<Pick<FailedAttempt, "attempts" | "readerDeaths">>(
    `SELECT attempts, reader_deaths AS readerDeaths FROM job WHERE ${heldLease} AND ${startsFrom("fail")}`,
    { uuid, token },
  );
  if (attempt === undefined) return null;
  const { nowMs } = rules;
  const readerDeaths = attempt.readerDeaths + (failure.code === threadDied ? 1 : 0);
  const failed = { attempts: attempt.attempts, failure, readerDeaths, deadlineMs };
  const after = afterFailure(failed, rules, nowMs);
  if (after.kind === "error") {
    const stand = fail(database, { uuid, token, nowMs, failure: asJson(after.failure) });
    return { uuid, notBeforeMs: null, stand };
  }
  const { notBeforeMs } = after;
  const next: Retry = { uuid, token, nowMs, notBeforeMs, readerDeaths };
  return { uuid, notBeforeMs, stand: endForRetry(database, next) };
}

/** A retry that is near does not show, and so has no number among the changes of the account. */
function endForRetry(database: Database, next: Retry): JobSnapshot | null {
  const { nowMs, ...values } = next;
  if (next.notBeforeMs - nowMs > shownRetryMs) return retry(database, next);
  database.run(
    `UPDATE job SET ${leadsTo("retry")}, ${forRetry} WHERE ${heldLease} AND ${startsFrom("retry")}`,
    values,
  );
  return null;
}

function asJson(failure: JobFailure): string {
  return JSON.stringify(failure);
}
