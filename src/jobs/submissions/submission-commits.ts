import type { Store } from "../../db/operations.ts";
import { type Clock, timeAfter } from "../../lib/clock.ts";
import { createActiveJob } from "../dispatch/active-job.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import { fetchedPosts } from "../ends/fetched-operations.ts";
import type { Job, JobChange, JobResult } from "../job.ts";
import { leaseLost } from "../leases/lease.ts";
import type { LeaseTerms } from "../leases/lease-operations.ts";
import type { JobOperations } from "../operations.ts";
import type { JobReads } from "../reads/job-reads.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import { encodeRequest, encodeResult, jobAfter } from "../stored.ts";
import type { NewJob, SubmittedJob } from "./submission.ts";
import type { InsertedChange, JobInsertion } from "./submission-operations.ts";

type CommitsContext = {
  store: Store<JobOperations>;
  now: () => number;
  settings: Pick<JobSettings, "leaseMs" | "resultRetentionMs">;
  dispatcher: Dispatcher;
  reads: Pick<JobReads, "earlierJob">;
  reportChange: (accountId: string, change: JobChange) => void;
  reportSnapshot: (snapshot: JobSnapshot, result?: JobResult) => void;
};

/** Inserts resolve when the job is on disk; a repeated submission or an error ends the active job. */
type SubmissionCommits = {
  insertReceived(active: ActiveJob, row: InsertedRow): Promise<SubmittedJob>;
  insertDone(
    active: ActiveJob,
    row: InsertedRow,
    lease: LeaseTerms,
    result: JobResult,
  ): Promise<SubmittedJob>;
  /** Releases the job if the lease is refused; requeues it if the write fails. */
  writeLease(active: ActiveJob, lease: LeaseTerms): Promise<void>;
};

export function createSubmissionCommits(context: CommitsContext): SubmissionCommits {
  const { store, now, settings, dispatcher, reads } = context;

  async function insert(
    { uuid, request }: Job,
    row: Omit<JobInsertion, "request">,
    onInserted: (inserted: InsertedChange) => Job,
  ): Promise<SubmittedJob> {
    try {
      const inserted = await store.write("insertJob", { ...row, request: encodeRequest(request) });
      if (!inserted.isRepeated) return { isRepeated: false, uuid, job: onInserted(inserted) };
      dispatcher.end(uuid);
      return { isRepeated: true, ...reads.earlierJob(inserted.earlier) };
    } catch (error) {
      dispatcher.end(uuid);
      throw error;
    }
  }

  return {
    insertReceived: async (active, row) =>
      await insert(active.submittedJob, row, ({ change: id }) => {
        const { uuid, accountId, state, attempts, submittedMs } = active.submittedJob;
        active.change = Math.max(active.change, id);
        context.reportChange(accountId, { id, uuid, state, attempts, atMs: submittedMs });
        return active.submittedJob;
      }),
    insertDone: async ({ submittedJob: job }, row, { node, nowMs: startedMs }, result) => {
      const nowMs = now();
      const attempt = {
        node,
        startedMs,
        finishedMs: nowMs,
        expiresMs: timeAfter(nowMs, settings.resultRetentionMs),
      };
      const answer = { ...attempt, result: encodeResult(result), fetched: fetchedPosts(result) };
      return await insert(job, { ...row, answer }, (inserted) => {
        const snapshot = doneSnapshot(job, attempt, inserted);
        context.reportSnapshot(snapshot, result);
        return jobAfter(job, snapshot, result, nowMs);
      });
    },
    writeLease: async (active, lease) => {
      const untilMs = timeAfter(now(), settings.leaseMs);
      try {
        const snapshot = await store.write("leaseJob", { ...lease, untilMs });
        if (snapshot !== null) context.reportSnapshot(snapshot);
        else dispatcher.release(active);
      } catch {
        dispatcher.loseLease(active);
        if (dispatcher.get(active.uuid) === active) dispatcher.offer(active);
      }
    },
  };
}

type CompletedAttempt = { node: string; startedMs: number; finishedMs: number; expiresMs: number };

export const doneSnapshot = (
  { uuid, accountId, deadlineMs }: Job,
  attempt: CompletedAttempt,
  { change, hasDeliveries }: InsertedChange,
): JobSnapshot => ({
  ...{ uuid, accountId, state: "done", attempts: 1, notBeforeMs: 0, deadlineMs, ...attempt },
  ...{ failure: null, change, changedMs: attempt.finishedMs, hasDeliveries },
});

export type InsertedRow = Omit<JobInsertion, "request" | "answer">;

export function receivedJob(
  submittedMs: number,
  uuid: string,
  job: NewJob,
  lifetimeMs: number,
): Job {
  const { accountId, keyId, request, canonicalQuery, warnings } = job;
  return {
    uuid: uuid.toLowerCase(),
    accountId,
    keyId,
    state: "received",
    request,
    canonicalQuery,
    attempts: 0,
    submittedMs,
    deadlineMs: timeAfter(submittedMs, lifetimeMs),
    startedMs: null,
    finishedMs: null,
    expiresMs: null,
    node: null,
    result: null,
    failure: null,
    warnings,
  };
}

export function jobRow(job: Job): Omit<InsertedRow, "idempotency"> {
  const { uuid, accountId, keyId, canonicalQuery, submittedMs, deadlineMs } = job;
  const warnings = JSON.stringify(job.warnings);
  return { uuid, accountId, keyId, canonicalQuery, warnings, submittedMs, deadlineMs };
}

type RunsContext = {
  clock: Clock;
  now: () => number;
  dispatcher: Dispatcher;
  commits: SubmissionCommits;
};

type RunUncommitted = (active: ActiveJob, row: InsertedRow) => Promise<SubmittedJob>;

/** The promise resolves when the submission is committed. */
export function createUncommittedRuns(context: RunsContext): RunUncommitted {
  const { clock, now, dispatcher, commits } = context;

  function run(
    active: ActiveJob,
    row: InsertedRow,
    resolve: (submitted: SubmittedJob) => void,
    reject: (error: unknown) => void,
  ): void {
    const { uuid } = active;
    let writing: Promise<SubmittedJob> | null = null;

    function commit(): void {
      if (active.uncommittedJob !== uncommitted) return;
      const { lease } = uncommitted;
      active.uncommittedJob = null;
      const currentRow = { ...row, deadlineMs: computeDeadline(active) };
      // A job that has ended only in memory is queued, and the sweeper ends it.
      const isLeased = dispatcher.get(uuid) === active;
      const insertedJob = isLeased
        ? active
        : createActiveJob(active.submittedJob, active.deadlineMs);
      writing = commits.insertReceived(insertedJob, currentRow);
      if (!isLeased) dispatcher.offer(insertedJob);
      else if (lease !== null) void commits.writeLease(active, lease);
      writing.then(resolve, reject);
    }

    async function commitDone(result: JobResult): Promise<void> {
      const { lease } = uncommitted;
      if (lease === null || active.uncommittedJob !== uncommitted) throw leaseLost(uuid);
      active.uncommittedJob = null;
      writing = commits.insertDone(active, row, lease, result);
      writing.then(resolve, reject);
      await requireAccepted(writing, uuid);
    }

    const uncommitted: UncommittedJob = {
      lease: null,
      commit,
      commitDone,
      accepted: async () => {
        commit();
        if (writing !== null) await requireAccepted(writing, uuid);
      },
    };
    active.uncommittedJob = uncommitted;
    // Never cancelled, because an abort signal costs more than an unneeded timer.
    clock.sleep(maxUncommittedMs).then(commit, () => undefined);
  }

  /** The wall clock may have been set since the submission. */
  function computeDeadline({ submittedJob: job, deadlineMs }: ActiveJob): number {
    const currentMs = Math.round(timeAfter(now(), deadlineMs - clock.elapsed()));
    return Math.abs(currentMs - job.deadlineMs) < minStepMs ? job.deadlineMs : currentMs;
  }

  return (active, row) => new Promise((resolve, reject) => run(active, row, resolve, reject));
}

const minStepMs = 1_000;

async function requireAccepted(writing: Promise<SubmittedJob>, uuid: string): Promise<void> {
  const isAccepted = await writing.then(
    ({ isRepeated }) => !isRepeated,
    () => false,
  );
  if (!isAccepted) throw leaseLost(uuid);
}

/**
 * A job that runs before its submission is committed: no client has its uuid yet. It is
 * committed with its result, or without one after `maxUncommittedMs`, before a request to a
 * platform, or when its attempt fails or its lease is lost.
 */
export type UncommittedJob = {
  lease: LeaseTerms | null;
  commit(): void;
  /** Errors: `lease_lost` if the submission was refused or repeats an earlier one. */
  commitDone(result: JobResult): Promise<void>;
  /** Resolves when the job is on disk. Errors: `lease_lost`. */
  accepted(): Promise<void>;
};

/** Longer searches become jobs in progress. */
export const maxUncommittedMs = 5;
