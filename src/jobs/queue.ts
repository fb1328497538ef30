import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import { EarshotError } from "../lib/errors.ts";
import type { Lease, LeaseFailure, LeaseGateway, NodeCapabilities } from "../nodes/lease.ts";
import { createDispatcher, type LiveJob } from "./dispatcher.ts";
import type { Job, JobResult, SearchJobRequest, SearchMethod } from "./job.ts";
import type { AttemptEnd, JobInsertion, JobOperations } from "./operations.ts";
import type { JobSettings } from "./settings.ts";
import { decodeRequest, encodeRequest, encodeResult, jobOf } from "./stored.ts";
import { createSweeper } from "./sweeper.ts";

/**
 * The jobs of one server: takes submissions, hands them to nodes, keeps what they hand in. The job table is the truth and
 * every change compares with it; memory knows the jobs that have not ended, so that nothing has to ask the table again and
 * again. The life of a job stands in states.ts.
 */
export type JobQueue = LeaseGateway<SearchJobRequest, JobResult> & {
  /**
   * Takes a job; it is on disk when this resolves. Errors: `overloaded` when too many wait already, and those of the store.
   */
  submit(job: NewJob): Promise<Job>;
  /** An account's job as it stands; null when the uuid, in capitals or not, is unknown or another account's. */
  find(accountId: string, uuid: string): Promise<Job | null>;
  /** Whether it is an account's job that has not ended; asks memory alone. */
  isUnderWay(accountId: string, uuid: string): boolean;
  /** The same as `find`, after the job has ended; as it stands when `waitMs` pass, the signal aborts or the queue stops before. */
  waitForEnd(
    accountId: string,
    uuid: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null>;
  /** Jobs that wait for a node. */
  depth(): number;
  /** Takes up what an earlier process left, then keeps watch over deadlines, leases and retention. Before anything else. */
  start(): Promise<void>;
  /** Sends waiting nodes and callers away and ends the watch. What is submitted now waits for the next start. */
  stop(): Promise<void>;
};

export type NewJob = Pick<Job, "accountId" | "keyId" | "request" | "canonicalQuery" | "warnings">;

export type JobQueueContext = {
  store: Store<JobOperations>;
  clock: Clock;
  /** A fresh UUID, also as the token of a lease. */
  randomUuid: () => string;
  settings: JobSettings;
  /** Told of each attempt that failed or whose lease lapsed, and of each job that ended, with its method. */
  onFailedAttempt?: (method: SearchMethod) => void;
  onEnd?: (method: SearchMethod, state: "done" | "error") => void;
  /** Told of what goes wrong in the watch, which goes on. */
  onFault?: (thrown: unknown) => void;
};

export function createJobQueue(context: JobQueueContext): JobQueue {
  const { store, clock, randomUuid, settings } = context;
  const dispatcher = createDispatcher(clock, settings.maxRunningPerKey);
  const sweeper = createSweeper({ ...context, dispatcher, settleAttempt, endJob });

  async function submit(job: NewJob): Promise<Job> {
    if (dispatcher.depth() >= settings.maxWaiting) throw overloaded();
    const submittedMs = clock.now();
    const row: JobInsertion = {
      uuid: randomUuid().toLowerCase(),
      accountId: job.accountId,
      keyId: job.keyId,
      request: encodeRequest(job.request),
      canonicalQuery: job.canonicalQuery,
      warnings: JSON.stringify(job.warnings),
      submittedMs,
      deadlineMs: timeAfter(submittedMs, settings.deadlineMs),
    };
    const written = store.write("insertJob", row);
    // The writer keeps the order of its calls: a lease that follows at once finds the row, and shares its commit.
    dispatcher.offer(liveJob(row, job.request));
    try {
      await written;
    } catch (error) {
      dispatcher.end(row.uuid);
      throw error;
    }
    return { ...jobOf({ ...row, ...untouched }, submittedMs), request: job.request };
  }

  async function find(accountId: string, uuid: string): Promise<Job | null> {
    const row = await store.read("findJob", { accountId, uuid });
    return row === null ? null : jobOf(row, clock.now());
  }

  const isUnderWay = (accountId: string, uuid: string): boolean =>
    dispatcher.get(uuid.toLowerCase())?.accountId === accountId;

  async function waitForEnd(
    accountId: string,
    uuid: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null> {
    const live = dispatcher.get(uuid.toLowerCase());
    const isOwn = live?.accountId === accountId;
    const ended = isOwn ? await dispatcher.waitForEnd(live, waitMs, signal) : null;
    return ended ?? (await find(accountId, uuid));
  }

  async function lease(
    capabilities: NodeCapabilities,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Lease<SearchJobRequest> | null> {
    const endMs = clock.elapsed() + waitMs;
    for (;;) {
      const leftMs = endMs - clock.elapsed();
      const job = await dispatcher.next(capabilities.methods, leftMs, signal);
      if (job === null) return null;
      const leased = await leaseJob(job, capabilities.nodeId);
      if (leased !== null) return leased;
    }
  }

  async function leaseJob(job: LiveJob, node: string): Promise<Lease<SearchJobRequest> | null> {
    const { uuid, request, deadlineMs } = job;
    const token = randomUuid();
    const nowMs = clock.now();
    const untilMs = timeAfter(nowMs, settings.leaseMs);
    job.token = token;
    job.leaseUntilMs = untilMs;
    try {
      const attempt = await store.write("leaseJob", { uuid, token, node, nowMs, untilMs });
      if (attempt !== null) return { uuid, work: request, attempt, deadlineMs, token, untilMs };
    } catch (error) {
      dispatcher.release(job);
      if (dispatcher.get(uuid) === job) dispatcher.offer(job);
      throw error;
    }
    // Its deadline has passed, and the watch will end it.
    dispatcher.release(job);
    return null;
  }

  async function renew(uuid: string, token: string): Promise<number> {
    const untilMs = timeAfter(clock.now(), settings.leaseMs);
    if (!(await store.write("renewLease", { uuid, token, untilMs }))) throw leaseLost(uuid);
    const job = dispatcher.get(uuid);
    if (job?.token === token) job.leaseUntilMs = untilMs;
    return untilMs;
  }

  async function complete(uuid: string, token: string, result: JobResult): Promise<void> {
    releaseLease(uuid, token);
    const nowMs = clock.now();
    const row = await store.write("completeJob", {
      uuid,
      token,
      nowMs,
      expiresMs: timeAfter(nowMs, settings.resultRetentionMs),
      result: encodeResult(result),
    });
    if (row === null) throw leaseLost(uuid);
    endJob(uuid, "done", jobOf(row, nowMs));
  }

  async function fail(uuid: string, token: string, failure: LeaseFailure): Promise<void> {
    releaseLease(uuid, token);
    const { maxAttempts, retryDelayMs } = settings;
    const nowMs = clock.now();
    const end = await store.write("failJob", {
      uuid,
      token,
      failure,
      nowMs,
      maxAttempts,
      retryDelayMs,
    });
    if (end === null) throw leaseLost(uuid);
    settleAttempt(end);
  }

  /** The key may run its next search while this one is on the way to the disk. */
  function releaseLease(uuid: string, token: string): void {
    const job = dispatcher.get(uuid);
    if (job?.token === token) dispatcher.release(job);
  }

  function settleAttempt({ uuid, notBeforeMs }: AttemptEnd): void {
    const job = dispatcher.get(uuid);
    if (job === undefined) return;
    context.onFailedAttempt?.(job.request.method);
    if (notBeforeMs === null) {
      endJob(uuid, "error");
      return;
    }
    dispatcher.release(job);
    dispatcher.offerLater(job, notBeforeMs - clock.now());
  }

  /** `ended` is the job as it stands, where that is known. */
  function endJob(uuid: string, state: "done" | "error", ended: Job | null = null): void {
    const job = dispatcher.get(uuid);
    if (job === undefined) return;
    dispatcher.end(uuid, ended);
    context.onEnd?.(job.request.method, state);
  }

  async function start(): Promise<void> {
    const nowMs = clock.now();
    for (const row of await store.write("recoverJobs", { nowMs })) {
      dispatcher.offerLater(liveJob(row, decodeRequest(row.request)), row.notBeforeMs - nowMs);
    }
    sweeper.start();
  }

  async function stop(): Promise<void> {
    dispatcher.stop();
    await sweeper.stop();
  }

  return {
    submit,
    find,
    isUnderWay,
    waitForEnd,
    lease,
    renew,
    complete,
    fail,
    depth: dispatcher.depth,
    start,
    stop,
  };
}

/** No time is later: the end of what a date can hold. */
const latestMs = 8.64e15;

/** A time after another one, however long the span is. */
function timeAfter(ms: number, spanMs: number): number {
  return Math.min(ms + spanMs, latestMs);
}

/** A row that nothing has happened to. */
const untouched = {
  state: "received",
  attempts: 0,
  node: null,
  notBeforeMs: 0,
  startedMs: null,
  finishedMs: null,
  expiresMs: null,
  result: null,
  failure: null,
} as const;

function liveJob(
  row: Pick<LiveJob, "uuid" | "accountId" | "keyId" | "deadlineMs">,
  request: SearchJobRequest,
): LiveJob {
  const { uuid, accountId, keyId, deadlineMs } = row;
  return {
    uuid,
    accountId,
    keyId,
    request,
    deadlineMs,
    phase: "waiting",
    token: null,
    leaseUntilMs: 0,
    endListeners: new Set(),
  };
}

function overloaded(): EarshotError {
  return new EarshotError("overloaded", "too many jobs are waiting", {
    status: 503,
    retryable: true,
    hint: "submit it again in a few seconds",
  });
}

function leaseLost(uuid: string): EarshotError {
  return new EarshotError("lease_lost", `the lease of job ${uuid} is not held any more`, {
    status: 409,
    hint: "drop the work: another attempt has the job, or it has ended",
  });
}
