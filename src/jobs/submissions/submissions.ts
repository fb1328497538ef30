import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isSearch } from "../../platforms/methods.ts";
import { createActiveJob } from "../dispatch/active-job.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import type { CachedPage } from "../ends/ended-jobs.ts";
import type { JobChange, JobResult } from "../job.ts";
import type { JobOperations } from "../operations.ts";
import type { JobReads } from "../reads/job-reads.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import {
  createAnsweredSubmissions,
  type ShortSearches,
  type SubmittedShortSearch,
} from "./answered-submissions.ts";
import type { NewJob, PendingAdmission, SubmittedJob } from "./submission.ts";
import {
  createSubmissionCommits,
  createUncommittedRuns,
  type InsertedRow,
  jobRow,
  receivedJob,
} from "./submission-commits.ts";

type SubmissionsContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  randomUuid: () => string;
  settings: JobSettings;
  dispatcher: Dispatcher;
  reads: Pick<JobReads, "keyedSinceMs" | "earlierJob">;
  localNodeId: string | null;
  shortSearches: ShortSearches | null;
  reportChange: (accountId: string, change: JobChange) => void;
  reportSnapshot: (
    snapshot: JobSnapshot,
    result?: JobResult,
    known?: { active: ActiveJob; page: CachedPage | null },
  ) => void;
};

/**
 * A search that the local node can lease immediately runs before its submission is committed. If it ends soon, it is inserted
 * as done.
 */
export function createSubmissions(context: SubmissionsContext): {
  submit(job: NewJob, admission?: PendingAdmission | null): Promise<SubmittedJob>;
} {
  const { clock, now, randomUuid, settings, dispatcher, reads, localNodeId } = context;
  const commits = createSubmissionCommits(context);
  const answeredSubmissions = createAnsweredSubmissions(context);
  const runUncommitted = createUncommittedRuns({ clock, now, dispatcher, commits });

  async function submit(
    job: NewJob,
    admission: PendingAdmission | null = null,
  ): Promise<SubmittedJob> {
    requireRoom();
    const { active, row } = prepare(job);
    const search = findShortSearch(job, active);
    const submitted =
      search === null ? null : await submitShortSearch(active, row, search, admission);
    if (submitted !== null) return submitted;
    if (admission !== null) await admission.admit();
    requireRoom();
    dispatcher.offer(active);
    return await (runsLocally(active)
      ? runUncommitted(active, row)
      : commits.insertReceived(active, row));
  }

  function requireRoom(): void {
    if (dispatcher.depth() >= settings.maxWaiting) throw overloadedError();
  }

  function findShortSearch(job: NewJob, active: ActiveJob): SubmittedShortSearch | null {
    const search = answeredSubmissions.findSearch(job);
    if (search === null || localNodeId === null) return null;
    return dispatcher.takeTurn(localNodeId, active)
      ? search
      : answeredSubmissions.onSkipped("no_slot");
  }

  /** Null if the job must take the ordinary path. The dispatcher does not know the job: no client has its uuid yet. */
  async function submitShortSearch(
    active: ActiveJob,
    row: InsertedRow,
    search: SubmittedShortSearch,
    admission: PendingAdmission | null,
  ): Promise<SubmittedJob | null> {
    const lease = { node: localNodeId ?? "", nowMs: now() };
    try {
      return await answeredSubmissions.insertAnswered(active, row, search, lease, admission?.write);
    } finally {
      dispatcher.endTurn(active);
    }
  }

  const runsLocally = ({ phase, runningNode, submittedJob: job }: ActiveJob): boolean =>
    phase === "leased" && runningNode === localNodeId && isSearch(job.request.method);

  function prepare(job: NewJob): { active: ActiveJob; row: InsertedRow } {
    const { deadlineMs } = settings;
    const submitted = receivedJob(now(), randomUuid(), job, deadlineMs);
    const idempotency = job.idempotency ?? null;
    return {
      active: createActiveJob(submitted, clock.elapsed() + deadlineMs),
      row: {
        ...jobRow(submitted),
        idempotency: idempotency && { ...idempotency, sinceMs: reads.keyedSinceMs() },
      },
    };
  }

  return { submit };
}

function overloadedError(): EarshotError {
  return new EarshotError("overloaded", "too many jobs are waiting", {
    status: 503,
    retryable: true,
    hint: "retry in a few seconds",
  });
}
