import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { isSearch } from "../../platforms/methods.ts";
import type { ShortSearchContext } from "../../search/archive-answer.ts";
import type { MergeableSearch } from "../../search/merge/merged-answer.ts";
import type { ActiveJob } from "../dispatch/dispatcher.ts";
import type { CachedPage } from "../ends/ended-jobs.ts";
import type { JobResult, SearchJobRequest } from "../job.ts";
import type { LeaseTerms } from "../leases/lease-operations.ts";
import type { JobOperations } from "../operations.ts";
import type { JobReads } from "../reads/job-reads.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import { decodeResultParts, jobAfter } from "../stored.ts";
import type { SearchSubmission, SubmittedSearch, UnansweredReason } from "./search-operations.ts";
import type { NewJob, PendingAdmission, SubmittedJob } from "./submission.ts";
import { doneSnapshot, type InsertedRow } from "./submission-commits.ts";

export type ShortSearches = {
  makeContext(request: MergeableSearch): ShortSearchContext;
  version(): number | null;
  onAnswered(request: SearchJobRequest, ms: number): void;
  onSkipped(reason: SkipReason): void;
};

/** `no_slot`: the local node cannot run the search immediately. */
export type SkipReason = UnansweredReason | "no_slot" | "paused";

type AnsweredContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  settings: Pick<JobSettings, "resultRetentionMs">;
  reads: Pick<JobReads, "earlierJob">;
  shortSearches: ShortSearches | null;
  reportSnapshot: (
    snapshot: JobSnapshot,
    result: JobResult,
    known: { active: ActiveJob; page: CachedPage | null },
  ) => void;
};

export type SubmittedShortSearch = SearchSubmission["search"];

export type AnsweredSubmissions = {
  /** Null if the search must take the ordinary path. */
  findSearch(job: NewJob): SubmittedShortSearch | null;
  /** Null like `findSearch`. The default `write` requires an admitted submission. */
  insertAnswered(
    active: ActiveJob,
    row: InsertedRow,
    search: SubmittedShortSearch,
    lease: Pick<LeaseTerms, "node" | "nowMs">,
    write?: PendingAdmission["write"],
  ): Promise<SubmittedJob | null>;
  onSkipped(reason: SkipReason): null;
};

/** The writer thread answers short searches in the transaction of their submission. */
export function createAnsweredSubmissions(context: AnsweredContext): AnsweredSubmissions {
  const { store, now, settings, reads, shortSearches } = context;
  const pauses = createPauses(context.clock, { minMs: minPauseMs, maxMs: maxPauseMs });

  function skip(reason: SkipReason): null {
    shortSearches?.onSkipped(reason);
    return null;
  }

  const writeAdmitted = (submission: SearchSubmission): Promise<SubmittedSearch> =>
    store.write("submitSearch", submission);

  async function writeSearch(
    submission: SearchSubmission,
    write: PendingAdmission["write"],
  ): Promise<SubmittedSearch | null> {
    const { accountId } = submission.row;
    try {
      const submitted = await write(submission);
      if (submitted === null) return null;
      if (submitted.kind === "done") pauses.reset(accountId);
      else if (submitted.kind === "unanswered" && hasRun(submitted.reason)) pauses.begin(accountId);
      return submitted;
    } catch (error) {
      if (isThreadEnded(error)) pauses.beginFor(accountId, threadPauseMs);
      throw error;
    }
  }

  return {
    findSearch: ({ accountId, request, tree = null }) => {
      const { method } = request;
      if (shortSearches === null || tree === null || !isSearch(method)) return null;
      if (pauses.isPaused(accountId)) return skip("paused");
      const search = { ...request, method };
      return { request: search, tree, context: shortSearches.makeContext(search) };
    },
    insertAnswered: async (
      active,
      row,
      search,
      { node, nowMs: startedMs },
      write = writeAdmitted,
    ) => {
      const { uuid, submittedJob: job } = active;
      const version = shortSearches?.version() ?? null;
      if (version === null) return skip("unavailable");
      const { resultRetentionMs } = settings;
      const submission = { row, search, node, startedMs, resultRetentionMs };
      const submitted = await writeSearch(submission, write);
      if (submitted === null) return null;
      if (submitted.kind === "unanswered") return skip(submitted.reason);
      if (submitted.kind === "repeated") {
        return { isRepeated: true, ...reads.earlierJob(submitted.earlier) };
      }
      const { finishedMs, expiresMs, body, lengths } = submitted;
      const result = decodeResultParts(submitted);
      const snapshot = doneSnapshot(job, { node, startedMs, finishedMs, expiresMs }, submitted);
      const page = body === null ? null : { body, lengths, version };
      context.reportSnapshot(snapshot, result, { active, page });
      shortSearches?.onAnswered(job.request, now() - startedMs);
      return { isRepeated: false, uuid, job: jobAfter(job, snapshot, result, now()) };
    },
    onSkipped: skip,
  };
}

/**
 * How long an account's searches skip the writer thread after an unanswered one, because each
 * delays other writes.
 */
const minPauseMs = 10;
const maxPauseMs = 100;
const threadPauseMs = 60_000;

const hasRun = (reason: UnansweredReason): boolean => reason === "slow" || reason === "declined";

const isThreadEnded = (error: unknown): boolean =>
  error instanceof EarshotError && ["thread_died", "thread_restarted"].includes(error.code);

export type Pauses = {
  begin(name: string): void;
  beginFor(name: string, ms: number): void;
  reset(name: string): void;
  isPaused(name: string): boolean;
};

export function createPauses(
  { elapsed }: Pick<Clock, "elapsed">,
  { minMs, maxMs }: { minMs: number; maxMs: number },
): Pauses {
  const pauses = new Map<string, { ms: number; endMs: number }>();

  function beginFor(name: string, ms: number): void {
    pauses.set(name, { ms, endMs: elapsed() + ms });
  }

  const isPaused = (name: string): boolean => elapsed() < (pauses.get(name)?.endMs ?? 0);

  return {
    begin: (name) => {
      const lastMs = pauses.get(name)?.ms ?? 0;
      beginFor(name, Math.min(maxMs, Math.max(minMs, 2 * lastMs)));
    },
    beginFor,
    reset: (name) => {
      if (!isPaused(name)) pauses.delete(name);
    },
    isPaused,
  };
}
