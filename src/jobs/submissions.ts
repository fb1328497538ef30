import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import { timeAfter } from "../lib/latest-time.ts";
import { isSearch } from "../platforms/methods.ts";
import type { Dispatcher, LiveJob } from "./dispatcher.ts";
import type { CachedPage } from "./ended-jobs.ts";
import { fetchedPosts } from "./fetched-operations.ts";
import type { Job, JobChange, JobResult } from "./job.ts";
import type { JobReads } from "./job-reads.ts";
import { leaseLost } from "./lease.ts";
import type { LeaseTerms } from "./lease-operations.ts";
import { liveJob } from "./live-job.ts";
import type { JobOperations } from "./operations.ts";
import { createPauses } from "./pauses.ts";
import type { NewJob, ShortSearches, SkipReason, SubmittedJob } from "./queue.ts";
import type { SearchSubmission, SubmittedSearch, UnansweredReason } from "./search-operations.ts";
import type { JobSettings } from "./settings.ts";
import { decodeResultParts, encodeRequest, encodeResult, jobAfter } from "./stored.ts";
import type { InsertedChange, JobInsertion } from "./submission-operations.ts";
import { longestUncommittedMs, type Uncommitted } from "./uncommitted.ts";
import type { JobSnapshot } from "./visible-change.ts";

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
 * A search that the local node leases at once runs first; if it ends soon, it is written as done in
 * the commit of its submission.
 */
export function createSubmissions(context: SubmissionsContext): {
  submit(job: NewJob): Promise<SubmittedJob>;
} {
  const { store, clock, now, randomUuid, settings, dispatcher, reads, localNodeId } = context;
  const pauses = createPauses(clock, { leastMs: shortestPauseMs, mostMs: longestPauseMs });

  async function submit(job: NewJob): Promise<SubmittedJob> {
    if (dispatcher.depth() >= settings.maxWaiting) throw overloaded();
    const received = newJobAt(now(), randomUuid(), job, settings.deadlineMs);
    const live = liveJob(received, clock.elapsed() + settings.deadlineMs);
    const idempotency = job.idempotency ?? null;
    const row: InsertedRow = {
      ...rowOf(received),
      idempotency: idempotency && { ...idempotency, sinceMs: reads.keyedSinceMs() },
    };
    dispatcher.offer(live);
    if (!runsHere(live)) {
      if (isSearch(job.request.method)) skipped("no_slot");
      return await insertReceived(live, row);
    }
    const search = shortSearchOf(job);
    return await new Promise((resolve, reject) =>
      runUncommitted(live, row, search, resolve, reject),
    );
  }

  const runsHere = ({ phase, runningNode, submitted: job }: LiveJob): boolean =>
    phase === "leased" && runningNode === localNodeId && isSearch(job.request.method);

  async function insertReceived(
    { uuid, submitted: job }: LiveJob,
    row: InsertedRow,
  ): Promise<SubmittedJob> {
    return await insert(job, row, ({ change: id }) => {
      const { accountId, state, attempts, submittedMs } = job;
      context.reportChange(accountId, { id, uuid, state, attempts, atMs: submittedMs });
      return job;
    });
  }

  async function insert(
    { uuid, request }: Job,
    row: Omit<JobInsertion, "request">,
    onInserted: (inserted: InsertedChange) => Job,
  ): Promise<SubmittedJob> {
    try {
      const inserted = await store.write("insertJob", { ...row, request: encodeRequest(request) });
      if (!inserted.isReplay) return { isReplay: false, uuid, job: onInserted(inserted) };
      dispatcher.end(uuid);
      return { isReplay: true, ...reads.earlierJob(inserted.earlier) };
    } catch (error) {
      dispatcher.end(uuid);
      throw error;
    }
  }

  function runUncommitted(
    live: LiveJob,
    row: InsertedRow,
    search: SubmittedShortSearch | null,
    resolve: (submitted: SubmittedJob) => void,
    reject: (error: unknown) => void,
  ): void {
    const { uuid } = live;
    let writing: Promise<SubmittedJob> | null = null;
    let isBeingAnswered = false;
    let isCommitDue = false;

    function commit(): void {
      if (live.uncommitted !== own) return;
      if (isBeingAnswered) {
        isCommitDue = true;
        return;
      }
      const { lease } = own;
      live.uncommitted = null;
      const present = { ...row, deadlineMs: deadlineOf(live) };
      // If the job ended only in memory, it is queued again and the sweeper ends it.
      const isLeased = dispatcher.get(uuid) === live;
      const requeued = isLeased ? live : liveJob(live.submitted, live.deadlineMs);
      writing = insertReceived(requeued, present);
      if (!isLeased) dispatcher.offer(requeued);
      else if (lease !== null) void writeLease(live, lease);
      writing.then(resolve, reject);
    }

    async function commitDone(result: JobResult): Promise<void> {
      const { lease } = own;
      if (lease === null || live.uncommitted !== own) throw leaseLost(uuid);
      live.uncommitted = null;
      writing = insertDone(live, row, lease, result);
      writing.then(resolve, reject);
      await acceptedBy(writing, uuid);
    }

    async function answer(): Promise<boolean> {
      const { lease } = own;
      if (search === null || lease === null) return false;
      isBeingAnswered = true;
      try {
        const submitted = await insertAnswered(live, row, search, lease);
        if (submitted !== null) {
          live.uncommitted = null;
          resolve(submitted);
          return true;
        }
      } catch (error) {
        live.uncommitted = null;
        dispatcher.end(uuid);
        reject(error);
        return true;
      }
      isBeingAnswered = false;
      if (isCommitDue) commit();
      else commitSoon();
      return false;
    }

    // Not cancelled: an abort signal costs more than the few timers that fire needlessly.
    const commitSoon = (): void => {
      clock.sleep(longestUncommittedMs).then(commit, () => undefined);
    };

    const own: Uncommitted = {
      lease: null,
      answer,
      commit,
      commitDone,
      accepted: async () => {
        commit();
        if (writing !== null) await acceptedBy(writing, uuid);
      },
    };
    live.uncommitted = own;
    if (search === null) commitSoon();
  }

  /** Null if the search must take the ordinary path. */
  async function insertAnswered(
    live: LiveJob,
    row: InsertedRow,
    search: SubmittedShortSearch,
    { node, nowMs: startedMs }: LeaseTerms,
  ): Promise<SubmittedJob | null> {
    const { uuid, submitted: job } = live;
    const version = context.shortSearches?.version() ?? null;
    if (version === null) return skipped("unavailable");
    const { resultRetentionMs } = settings;
    const submitted = await writeSearch({ row, search, node, startedMs, resultRetentionMs });
    if (submitted.kind === "unanswered") return skipped(submitted.reason);
    if (submitted.kind === "replay") {
      dispatcher.end(uuid);
      return { isReplay: true, ...reads.earlierJob(submitted.earlier) };
    }
    const { finishedMs, expiresMs, body, lengths } = submitted;
    const result = decodeResultParts(submitted);
    const snapshot = doneSnapshot(job, { node, startedMs, finishedMs, expiresMs }, submitted);
    const page = body === null ? null : { body, lengths, version };
    // No node has it, so none need learn of its end.
    live.lease = null;
    context.reportSnapshot(snapshot, result, { live, page });
    context.shortSearches?.onAnswered(job.request, now() - startedMs);
    return { isReplay: false, uuid, job: jobAfter(job, snapshot, result, now()) };
  }

  async function writeSearch(submission: SearchSubmission): Promise<SubmittedSearch> {
    const { accountId } = submission.row;
    try {
      const submitted = await store.write("submitSearch", submission);
      if (submitted.kind === "done") pauses.reset(accountId);
      else if (submitted.kind === "unanswered" && isTried(submitted.reason))
        pauses.begin(accountId);
      return submitted;
    } catch (error) {
      if (isThreadEnded(error)) pauses.beginFor(accountId, threadPauseMs);
      throw error;
    }
  }

  function shortSearchOf({ accountId, request, tree = null }: NewJob): SubmittedShortSearch | null {
    const { method } = request;
    if (context.shortSearches === null || tree === null || !isSearch(method)) return null;
    if (pauses.isPaused(accountId)) return skipped("paused");
    const search = { ...request, method };
    return { request: search, tree, terms: context.shortSearches.termsOf(search) };
  }

  function skipped(reason: SkipReason): null {
    context.shortSearches?.onSkipped(reason);
    return null;
  }

  async function insertDone(
    { submitted: job }: LiveJob,
    row: InsertedRow,
    { node, nowMs: startedMs }: LeaseTerms,
    result: JobResult,
  ): Promise<SubmittedJob> {
    const nowMs = now();
    const end = {
      node,
      startedMs,
      finishedMs: nowMs,
      expiresMs: timeAfter(nowMs, settings.resultRetentionMs),
    };
    const answer = { ...end, result: encodeResult(result), fetched: fetchedPosts(result) };
    return await insert(job, { ...row, answer }, (inserted) => {
      const snapshot = doneSnapshot(job, end, inserted);
      context.reportSnapshot(snapshot, result);
      return jobAfter(job, snapshot, result, nowMs);
    });
  }

  async function writeLease(live: LiveJob, lease: LeaseTerms): Promise<void> {
    const untilMs = timeAfter(now(), settings.leaseMs);
    try {
      const snapshot = await store.write("leaseJob", { ...lease, untilMs });
      if (snapshot !== null) context.reportSnapshot(snapshot);
      else dispatcher.release(live);
    } catch {
      dispatcher.loseLease(live);
      if (dispatcher.get(live.uuid) === live) dispatcher.offer(live);
    }
  }

  /** By the current wall clock, which may have been set since the submission. */
  function deadlineOf({ submitted: job, deadlineMs }: LiveJob): number {
    const presentMs = Math.round(timeAfter(now(), deadlineMs - clock.elapsed()));
    return Math.abs(presentMs - job.deadlineMs) < smallestStepMs ? job.deadlineMs : presentMs;
  }

  return { submit };
}

type InsertedRow = Omit<JobInsertion, "request" | "answer">;

type SubmittedShortSearch = SearchSubmission["search"];

/**
 * An account's searches skip the writer thread after one could not be answered there, because each
 * delays other writes.
 */
const shortestPauseMs = 10;
const longestPauseMs = 100;
const threadPauseMs = 60_000;

const isTried = (reason: UnansweredReason): boolean => reason === "slow" || reason === "declined";

const isThreadEnded = (error: unknown): boolean =>
  error instanceof EarshotError && ["thread_died", "thread_restarted"].includes(error.code);

const smallestStepMs = 1_000;

async function acceptedBy(writing: Promise<SubmittedJob>, uuid: string): Promise<void> {
  const isAccepted = await writing.then(
    ({ isReplay }) => !isReplay,
    () => false,
  );
  if (!isAccepted) throw leaseLost(uuid);
}

type SearchEnd = { node: string; startedMs: number; finishedMs: number; expiresMs: number };

const doneSnapshot = (
  { uuid, accountId, deadlineMs }: Job,
  end: SearchEnd,
  { change, hasDeliveries }: InsertedChange,
): JobSnapshot => ({
  ...{ uuid, accountId, state: "done", attempts: 1, notBeforeMs: 0, deadlineMs, ...end },
  ...{ failure: null, change, changedMs: end.finishedMs, hasDeliveries },
});

function newJobAt(submittedMs: number, uuid: string, job: NewJob, lifeMs: number): Job {
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
    deadlineMs: timeAfter(submittedMs, lifeMs),
    startedMs: null,
    finishedMs: null,
    expiresMs: null,
    node: null,
    result: null,
    failure: null,
    warnings,
  };
}

function rowOf(job: Job): Omit<InsertedRow, "idempotency"> {
  const { uuid, accountId, keyId, canonicalQuery, submittedMs, deadlineMs } = job;
  const warnings = JSON.stringify(job.warnings);
  return { uuid, accountId, keyId, canonicalQuery, warnings, submittedMs, deadlineMs };
}

function overloaded(): EarshotError {
  return new EarshotError("overloaded", "too many jobs are waiting", {
    status: 503,
    retryable: true,
    hint: "retry in a few seconds",
  });
}
