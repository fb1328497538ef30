import type { Store } from "../../db/operations.ts";
import { latestMs } from "../../lib/clock.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import type { EndedJobs } from "../ends/ended-jobs.ts";
import type { Job, ListPosition } from "../job.ts";
import type { JobOperations } from "../operations.ts";
import type { JobQueue } from "../queue.ts";
import { hasEnded } from "../states.ts";
import { jobFromRow, summaryFromRow } from "../stored.ts";
import type { EarlierJob, Idempotency } from "../submissions/submission.ts";
import type { EarlierSubmission } from "../submissions/submission-operations.ts";
import type { AllJobsPage, JobFilter, JobPage } from "./job-list.ts";
import type { JobListParams } from "./read-operations.ts";

export type JobReads = Pick<
  JobQueue,
  "find" | "isUnfinished" | "waitForEnd" | "findEarlier" | "list" | "listAll"
> & {
  keyedSinceMs(): number;
  earlierJob(earlier: EarlierSubmission): EarlierJob;
};

type JobReadsContext = {
  store: Store<JobOperations>;
  dispatcher: Dispatcher;
  endedJobs: Pick<EndedJobs, "find">;
  now: () => number;
  idempotencyMs: number;
  adopt: ((uuid: string) => Promise<void>) | null;
};

/**
 * Maximum number of store reads per page; a very selective filter may therefore yield a short page.
 */
const maxReads = 20;

export function createJobReads(context: JobReadsContext): JobReads {
  const { store, dispatcher, endedJobs, now } = context;

  async function find(accountId: string, uuid: string): Promise<Job | null> {
    const ended = endedJobs.find(accountId, uuid.toLowerCase());
    if (ended !== null) return ended;
    const row = await store.read("findJob", { accountId, uuid: uuid.toLowerCase() });
    return row === null ? null : jobFromRow(row, now());
  }

  const isUnfinished = (accountId: string, uuid: string): boolean =>
    dispatcher.get(uuid.toLowerCase())?.submittedJob.accountId === accountId;

  async function waitForEnd(
    accountId: string,
    uuid: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null> {
    const active = dispatcher.get(uuid.toLowerCase()) ?? (await adopt(accountId, uuid));
    const isOwn = active?.submittedJob.accountId === accountId;
    const ended = isOwn ? await dispatcher.waitForEnd(active, waitMs, signal) : null;
    return ended ?? (await find(accountId, uuid));
  }

  async function adopt(accountId: string, uuid: string): Promise<ActiveJob | undefined> {
    if (context.adopt === null) return undefined;
    const job = await find(accountId, uuid);
    if (job === null || hasEnded(job.state)) return undefined;
    await context.adopt(job.uuid);
    return dispatcher.get(job.uuid);
  }

  const keyedSinceMs = (): number => now() - context.idempotencyMs;

  async function findEarlier(
    accountId: string,
    { key, requestHash }: Idempotency,
  ): Promise<EarlierJob | null> {
    const idempotency = { key, requestHash, sinceMs: keyedSinceMs() };
    const earlier = await store.read("findEarlier", { accountId, idempotency });
    return earlier === null ? null : earlierJob(earlier);
  }

  const earlierJob = ({ uuid, row }: EarlierSubmission): EarlierJob => ({
    uuid,
    job: row === null ? null : jobFromRow(row, now()),
  });

  /** Reads in batches, so that a long list does not block other reads. */
  async function list(
    accountId: string,
    { before, limit, ...filter }: JobFilter,
  ): Promise<JobPage> {
    const nowMs = now();
    const jobs: JobPage["jobs"][number][] = [];
    let position: ListPosition | null = before ?? { submittedMs: latestMs, uuid: "" };
    for (let reads = 0; reads < maxReads && position !== null && jobs.length <= limit; reads += 1) {
      const neededCount = limit + 1 - jobs.length;
      const params: JobListParams = {
        ...filter,
        accountId,
        before: position,
        limit: neededCount,
        nowMs,
      };
      const { rows, lastScanned } = await store.read("listJobs", params);
      for (const row of rows) jobs.push(summaryFromRow(row, nowMs));
      position = lastScanned;
    }
    const last = jobs.length > limit ? jobs[limit - 1] : undefined;
    const next = last === undefined ? position : { submittedMs: last.submittedMs, uuid: last.uuid };
    return { jobs: jobs.slice(0, limit), next };
  }

  async function listAll(before: number | null, limit: number): Promise<AllJobsPage> {
    const params = { before: before ?? Number.MAX_SAFE_INTEGER, limit: limit + 1 };
    const rows = await store.read("listAllJobs", params);
    const nowMs = now();
    return {
      jobs: rows.slice(0, limit).map((row) => summaryFromRow(row, nowMs)),
      next: rows.length > limit ? (rows[limit - 1]?.sequence ?? null) : null,
    };
  }

  return { find, isUnfinished, waitForEnd, findEarlier, list, listAll, keyedSinceMs, earlierJob };
}
