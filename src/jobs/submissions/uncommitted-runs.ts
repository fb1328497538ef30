import type { Clock } from "../../lib/clock.ts";
import { timeAfter } from "../../lib/latest-time.ts";
import type { Dispatcher, LiveJob } from "../dispatch/dispatcher.ts";
import { liveJob } from "../dispatch/live-job.ts";
import type { JobResult } from "../job.ts";
import { leaseLost } from "../leases/lease.ts";
import type { InsertedRow } from "./received-job.ts";
import type { SubmittedJob } from "./submission.ts";
import type { SubmissionCommits } from "./submission-commits.ts";
import { longestUncommittedMs, type UncommittedJob } from "./uncommitted.ts";

type RunsContext = {
  clock: Clock;
  now: () => number;
  dispatcher: Dispatcher;
  commits: SubmissionCommits;
};

type RunUncommitted = (live: LiveJob, row: InsertedRow) => Promise<SubmittedJob>;

/** The returned function resolves when the submission is committed. */
export function createUncommittedRuns(context: RunsContext): RunUncommitted {
  const { clock, now, dispatcher, commits } = context;

  function run(
    live: LiveJob,
    row: InsertedRow,
    resolve: (submitted: SubmittedJob) => void,
    reject: (error: unknown) => void,
  ): void {
    const { uuid } = live;
    let writing: Promise<SubmittedJob> | null = null;

    function commit(): void {
      if (live.uncommitted !== uncommitted) return;
      const { lease } = uncommitted;
      live.uncommitted = null;
      const currentRow = { ...row, deadlineMs: deadlineOf(live) };
      // If the job ended only in memory, it is queued again and the sweeper ends it.
      const isLeased = dispatcher.get(uuid) === live;
      const requeued = isLeased ? live : liveJob(live.submitted, live.deadlineMs);
      writing = commits.insertReceived(requeued, currentRow);
      if (!isLeased) dispatcher.offer(requeued);
      else if (lease !== null) void commits.writeLease(live, lease);
      writing.then(resolve, reject);
    }

    async function commitDone(result: JobResult): Promise<void> {
      const { lease } = uncommitted;
      if (lease === null || live.uncommitted !== uncommitted) throw leaseLost(uuid);
      live.uncommitted = null;
      writing = commits.insertDone(live, row, lease, result);
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
    live.uncommitted = uncommitted;
    // Never cancelled, because an abort signal costs more than a needless timer.
    clock.sleep(longestUncommittedMs).then(commit, () => undefined);
  }

  /** Uses the current wall clock, which may have been set since the submission. */
  function deadlineOf({ submitted: job, deadlineMs }: LiveJob): number {
    const currentMs = Math.round(timeAfter(now(), deadlineMs - clock.elapsed()));
    return Math.abs(currentMs - job.deadlineMs) < smallestStepMs ? job.deadlineMs : currentMs;
  }

  return (live, row) => new Promise((resolve, reject) => run(live, row, resolve, reject));
}

const smallestStepMs = 1_000;

async function requireAccepted(writing: Promise<SubmittedJob>, uuid: string): Promise<void> {
  const isAccepted = await writing.then(
    ({ isReplay }) => !isReplay,
    () => false,
  );
  if (!isAccepted) throw leaseLost(uuid);
}
