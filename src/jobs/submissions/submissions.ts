import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { Dispatcher, LiveJob } from "../dispatch/dispatcher.ts";
import { liveJob } from "../dispatch/live-job.ts";
import type { CachedPage } from "../ends/ended-jobs.ts";
import type { JobChange, JobResult } from "../job.ts";
import type { JobOperations } from "../operations.ts";
import type { JobReads } from "../reads/job-reads.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import { createAnsweredSubmissions, type ShortSearches } from "./answered-submissions.ts";
import { type InsertedRow, receivedJob, rowOf } from "./received-job.ts";
import type { NewJob, PendingAdmission, SubmittedJob } from "./submission.ts";
import { createSubmissionCommits } from "./submission-commits.ts";
import { createUncommittedRuns } from "./uncommitted-runs.ts";

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
    known?: { live: LiveJob; page: CachedPage | null },
  ) => void;
};

/**
 * A search that the local node leases immediately runs first; if it ends soon, it is written as done in
 * the commit of its submission.
 */
export function createSubmissions(context: SubmissionsContext): {
  submit(job: NewJob, admission?: PendingAdmission | null): Promise<SubmittedJob>;
} {
  const { clock, now, randomUuid, settings, dispatcher, reads, localNodeId } = context;
  const commits = createSubmissionCommits(context);
  const answered = createAnsweredSubmissions(context);
  const runUncommitted = createUncommittedRuns({ clock, now, dispatcher, commits, answered });

  const runsHere = ({ phase, runningNode, submitted: job }: LiveJob): boolean =>
    phase === "leased" && runningNode === localNodeId && isSearch(job.request.method);

  const received = (job: NewJob): LiveJob => {
    const { deadlineMs } = settings;
    const submitted = receivedJob(now(), randomUuid(), job, deadlineMs);
    return liveJob(submitted, clock.elapsed() + deadlineMs);
  };

  async function submit(
    job: NewJob,
    admission: PendingAdmission | null = null,
  ): Promise<SubmittedJob> {
    if (dispatcher.depth() >= settings.maxWaiting) throw overloaded();
    if (admission === null) return await submitAdmitted(job);
    const isTried = wouldRunHere(job);
    const submitted = isTried ? await submitWith(admission, job) : null;
    if (submitted !== null) return submitted;
    await admission.admit();
    return await submitAdmitted(isTried ? { ...job, tree: null } : job);
  }

  async function submitAdmitted(job: NewJob): Promise<SubmittedJob> {
    const live = received(job);
    const idempotency = job.idempotency ?? null;
    const row: InsertedRow = {
      ...rowOf(live.submitted),
      idempotency: idempotency && { ...idempotency, sinceMs: reads.keyedSinceMs() },
    };
    dispatcher.offer(live);
    if (runsHere(live)) return await runUncommitted(live, row, answered.searchOf(job));
    if (isSearch(job.request.method)) answered.onSkipped("no_slot");
    return await commits.insertReceived(live, row);
  }

  const wouldRunHere = ({ request }: NewJob): boolean =>
    localNodeId !== null &&
    dispatcher.depth() === 0 &&
    isSearch(request.method) &&
    dispatcher.takeTurn(localNodeId, request);

  /** Bypasses the dispatcher: no client has the uuid before the job is done. */
  async function submitWith(
    { write }: PendingAdmission,
    job: NewJob,
  ): Promise<SubmittedJob | null> {
    const search = answered.searchOf(job);
    if (search === null) return null;
    const live = received(job);
    const lease = { node: localNodeId ?? "", nowMs: now() };
    return await answered.insertAnswered(live, rowOf(live.submitted), search, lease, write);
  }

  return { submit };
}

function overloaded(): EarshotError {
  return new EarshotError("overloaded", "too many jobs are waiting", {
    status: 503,
    retryable: true,
    hint: "retry in a few seconds",
  });
}
