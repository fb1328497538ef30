import type { Clock } from "../../lib/clock.ts";
import { timeAfter } from "../../lib/latest-time.ts";
import { activeJob } from "../dispatch/active-job.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import type { JobResult } from "../job.ts";
import { leaseLost } from "../leases/lease.ts";
import type { LeaseTerms } from "../leases/lease-operations.ts";
import type { SubmittedJob } from "./submission.ts";
import type { InsertedRow, SubmissionCommits } from "./submission-commits.ts";

type RunsContext = {
  clock: Clock;
  now: () => number;
  dispatcher: Dispatcher;
  commits: SubmissionCommits;
};

type RunUncommitted = (active: ActiveJob, row: InsertedRow) => Promise<SubmittedJob>;

/** The returned function resolves when the submission is committed. */
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
      if (active.uncommitted !== uncommitted) return;
      const { lease } = uncommitted;
      active.uncommitted = null;
      const currentRow = { ...row, deadlineMs: computeDeadline(active) };
      // If it ended only in memory, it is queued, and the sweeper ends it.
      const isLeased = dispatcher.get(uuid) === active;
      const requeued = isLeased ? active : activeJob(active.submitted, active.deadlineMs);
      writing = commits.insertReceived(requeued, currentRow);
      if (!isLeased) dispatcher.offer(requeued);
      else if (lease !== null) void commits.writeLease(active, lease);
      writing.then(resolve, reject);
    }

    async function commitDone(result: JobResult): Promise<void> {
      const { lease } = uncommitted;
      if (lease === null || active.uncommitted !== uncommitted) throw leaseLost(uuid);
      active.uncommitted = null;
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
    active.uncommitted = uncommitted;
    // Never cancelled, because an abort signal costs more than a needless timer.
    clock.sleep(maxUncommittedMs).then(commit, () => undefined);
  }

  /** The wall clock may have been set since the submission. */
  function computeDeadline({ submitted: job, deadlineMs }: ActiveJob): number {
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
 * Runs before its submission is committed, so that no client has its uuid yet. It is committed with its result; or without one
 * after `maxUncommittedMs`, before a request to a platform, and when its attempt fails or its lease is lost.
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
