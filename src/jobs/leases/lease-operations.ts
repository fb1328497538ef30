import { durable, relaxed } from "../../db/operations.ts";
import { type Database, mapNonNull, type Steps } from "../../db/statements.ts";
import { type FetchedPost, storeFetchedPosts } from "../ends/fetched-operations.ts";
import type { JobFailure } from "../job.ts";
import {
  type ChangeClauses,
  inAccountOrder,
  type JobSnapshot,
  visibleChange,
} from "../reads/visible-change.ts";
import { noLease, shownRetryMs, sourceStatesSql, targetStateSql } from "../states.ts";
import type { LeaseFailure } from "./lease.ts";
import {
  type EndedAttempt,
  failureOutcome,
  nodeLost,
  type RetryRules,
  threadDiedCode,
} from "./retries.ts";

export type LeaseTerms = {
  uuid: string;
  token: string;
  node: string;
  gateway: string;
  nowMs: number;
  untilMs: number;
};

export type JobCompletion = {
  uuid: string;
  token: string;
  nowMs: number;
  expiresMs: number;
  result: string;
  fetched: readonly FetchedPost[];
};

/** `deadlineMs` is wall-clock time. */
export type ActiveLease = { uuid: string; token: string; deadlineMs: number };

/** `snapshot` is null if the retry is too soon to be visible. */
export type AttemptEnd = {
  uuid: string;
  notBeforeMs: number | null;
  snapshot: JobSnapshot | null;
};

const currentLease = "uuid = :uuid AND lease_token = :token";

export const leaseClauses: ChangeClauses = {
  set: `attempts = attempts + 1, lease_token = :token, lease_until_ms = :untilMs, node = :node, gateway = :gateway,
        started_ms = coalesce(started_ms, :nowMs)`,
  where: "uuid = :uuid",
};

export const completionClauses: ChangeClauses = {
  set: `result = :result, finished_ms = :nowMs, expires_ms = :expiresMs, ${noLease}`,
  where: currentLease,
};

const lease = visibleChange<LeaseTerms>("lease", leaseClauses);
const complete = visibleChange<Omit<JobCompletion, "fetched">>("complete", completionClauses);

const fail = visibleChange<{ uuid: string; token: string; nowMs: number; failure: string }>(
  "fail",
  {
    set: `finished_ms = :nowMs, failure = :failure, ${noLease}`,
    where: currentLease,
  },
);

const returnJob = visibleChange<{ uuid: string; token: string; nowMs: number }>("returnJob", {
  set: `attempts = attempts - 1, ${noLease}`,
  where: currentLease,
});

type Retry = {
  uuid: string;
  token: string;
  nowMs: number;
  notBeforeMs: number;
  readerDeaths: number;
};

const retryColumns = `not_before_ms = :notBeforeMs, reader_deaths = :readerDeaths, ${noLease}`;
const retry = visibleChange<Retry>("retry", { set: retryColumns, where: currentLease });

export const leaseOperations = {
  /** Null if the job is no longer waiting. Not durable: a crash ends the lease anyway. */
  leaseJob: relaxed(lease),

  renewLease: relaxed(function* (
    database,
    renewal: { uuid: string; token: string; untilMs: number },
  ): Steps<boolean> {
    return (
      (yield* database.run(
        `UPDATE job SET lease_until_ms = :untilMs WHERE ${currentLease} AND ${sourceStatesSql("renew")}`,
        renewal,
      )) === 1
    );
  }),

  completeJob: durable(function* (
    database,
    { fetched, ...completion }: JobCompletion,
  ): Steps<JobSnapshot | null> {
    const snapshot = yield* complete(database, completion);
    const { uuid, expiresMs } = completion;
    if (snapshot !== null) yield* storeFetchedPosts(database, { uuid, expiresMs, posts: fetched });
    return snapshot;
  }),

  failJob: durable(function* (
    database,
    args: { lease: ActiveLease; failure: LeaseFailure; nowMs: number } & RetryRules,
  ): Steps<AttemptEnd | null> {
    return yield* endAttempt(database, args.lease, args.failure, args);
  }),

  /** The attempts do not count. Not durable: a crash has the same effect. */
  giveBackJobs: relaxed(function* (
    database,
    { leases, nowMs }: { leases: readonly ActiveLease[]; nowMs: number },
  ): Steps<JobSnapshot[]> {
    return yield* mapNonNull(yield* inAccountOrder(database, leases), ({ uuid, token }) =>
      returnJob(database, { uuid, token, nowMs }),
    );
  }),

  endExpiredLeases: durable(function* (
    database,
    { leases, ...rules }: { leases: readonly ActiveLease[]; nowMs: number } & RetryRules,
  ): Steps<AttemptEnd[]> {
    return yield* mapNonNull(yield* inAccountOrder(database, leases), (expired) =>
      endAttempt(database, expired, nodeLost, rules),
    );
  }),
};

function* endAttempt(
  database: Database,
  { uuid, token, deadlineMs }: ActiveLease,
  failure: LeaseFailure,
  rules: { nowMs: number } & RetryRules,
): Steps<AttemptEnd | null> {
  const attempt = yield* database.get<Pick<EndedAttempt, "attempts" | "readerDeaths">>(
    `SELECT attempts, reader_deaths AS readerDeaths FROM job WHERE ${currentLease} AND ${sourceStatesSql("fail")}`,
    { uuid, token },
  );
  if (attempt === undefined) return null;
  const { nowMs } = rules;
  const readerDeaths = attempt.readerDeaths + (failure.code === threadDiedCode ? 1 : 0);
  const endedAttempt = { attempts: attempt.attempts, failure, readerDeaths, deadlineMs };
  const outcome = failureOutcome(endedAttempt, rules, nowMs);
  if (outcome.kind === "error") {
    const snapshot = yield* fail(database, {
      uuid,
      token,
      nowMs,
      failure: asJson(outcome.failure),
    });
    return { uuid, notBeforeMs: null, snapshot };
  }
  const { notBeforeMs } = outcome;
  const nextRetry: Retry = { uuid, token, nowMs, notBeforeMs, readerDeaths };
  return { uuid, notBeforeMs, snapshot: yield* endForRetry(database, nextRetry) };
}

/** A retry that is due soon is invisible, so it gets no change number. */
function* endForRetry(database: Database, nextRetry: Retry): Steps<JobSnapshot | null> {
  const { nowMs, ...values } = nextRetry;
  if (nextRetry.notBeforeMs - nowMs > shownRetryMs) return yield* retry(database, nextRetry);
  yield* database.run(
    `UPDATE job SET ${targetStateSql("retry")}, ${retryColumns} WHERE ${currentLease} AND ${sourceStatesSql("retry")}`,
    values,
  );
  return null;
}

function asJson(failure: JobFailure): string {
  return JSON.stringify(failure);
}
