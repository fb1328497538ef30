import type { Store } from "../db/operations.ts";
import { type Clock, createSharedWallClock, createWallClock } from "../lib/clock.ts";
import type { JsonPage } from "../lib/json-page.ts";
import type { Method } from "../platforms/methods.ts";
import { RunningJobs } from "./dispatch/active-job.ts";
import { type ActiveJob, createDispatcher } from "./dispatch/dispatcher.ts";
import { type CachedPage, createEndedJobs } from "./ends/ended-jobs.ts";
import { createSweeper } from "./ends/sweeper.ts";
import { type ForeignChange, type Gateway, singleGateway } from "./gateways/gateway.ts";
import { createOtherGateways } from "./gateways/other-gateways.ts";
import type { Job, JobChange, JobResult, JobState, SearchJobRequest } from "./job.ts";
import type { LeaseGateway } from "./leases/lease.ts";
import { createLeases, type FailedAttempt } from "./leases/leases.ts";
import type { JobOperations } from "./operations.ts";
import { createChangeReaders } from "./reads/change-readers.ts";
import type { AllJobsPage, JobFilter, JobPage } from "./reads/job-list.ts";
import { createJobReads } from "./reads/job-reads.ts";
import type { JobSnapshot } from "./reads/visible-change.ts";
import type { JobSettings } from "./settings.ts";
import { changeFromSnapshot, jobAfter } from "./stored.ts";
import type { ShortSearches } from "./submissions/answered-submissions.ts";
import type {
  EarlierJob,
  Idempotency,
  NewJob,
  PendingAdmission,
  SubmittedJob,
} from "./submissions/submission.ts";
import { createSubmissions } from "./submissions/submissions.ts";

/** Every transition is a compare-and-set (states.ts). */
export type JobQueue = LeaseGateway<SearchJobRequest, JobResult> & {
  /**
   * Resolves when the job is on disk; for a repeated idempotency key, with the earlier job. A pending `admission`
   * is written together with a search that the local node can run immediately. Errors:
   * `overloaded`, `idempotency_mismatch`, those of the admission.
   */
  submit(job: NewJob, admission?: PendingAdmission | null): Promise<SubmittedJob>;
  /** Errors: `idempotency_mismatch`. */
  findEarlier(accountId: string, idempotency: Idempotency): Promise<EarlierJob | null>;
  /** Cancels an unfinished job or deletes a finished one. Null if the account has no such job. */
  cancel(accountId: string, uuid: string): Promise<"cancelled" | "forgotten" | null>;
  endAll(accountId: string): Promise<void>;
  list(accountId: string, filter: JobFilter): Promise<JobPage>;
  /** A null `before` starts at the newest job. */
  listAll(before: number | null, limit: number): Promise<AllJobsPage>;
  /**
   * Yields the current state of each job that changed after change number `after`, then new
   * changes; null yields only changes reported after the call. A slow reader may miss
   * intermediate states, but never a job's latest one. Ends when the signal aborts or the queue
   * stops.
   */
  changes(
    accountId: string,
    after: number | null,
    signal: AbortSignal,
  ): Promise<AsyncIterable<JobChange>>;
  takePage(uuid: string): JsonPage | null;
  find(accountId: string, uuid: string): Promise<Job | null>;
  isUnfinished(accountId: string, uuid: string): boolean;
  /** Like `find`. Resolves when the job ends, or on timeout, abort or shutdown. */
  waitForEnd(
    accountId: string,
    uuid: string,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Job | null>;
  wakeNodes(): void;
  returnJob(uuid: string, token: string, delayMs?: number): Promise<void>;
  /** For a node that is leaving: the attempts do not count. Returns the number of leases. */
  endNodeLeases(nodeId: string): Promise<number>;
  /**
   * For a node that has restarted: the attempts count, so that a job that crashes its nodes is not
   * retried until its deadline.
   */
  failNodeLeases(nodeId: string): Promise<void>;
  countRunning(nodeId: string): number;
  depth(): number;
  applyForeignChanges(changes: readonly ForeignChange[]): Promise<void>;
  reload(): Promise<void>;
  /** Recovers the jobs of an earlier process. Call this first. */
  start(): Promise<void>;
  /** Jobs that are submitted afterwards wait for the next start. */
  stop(): Promise<void>;
};

type EndState = "done" | "error" | "cancelled";

export type EndedJob = {
  uuid: string;
  accountId: string;
  keyId: string;
  method: Method;
  state: EndState;
  attempts: number;
  node: string | null;
  posts: number;
  ms: number;
  hasDeliveries: boolean;
};

export type JobQueueContext = {
  store: Store<JobOperations>;
  clock: Clock;
  randomUuid: () => string;
  settings: JobSettings;
  /** The node that may run a search before its submission is committed. Default: none. */
  localNodeId?: string | null;
  /** Null or absent: no search is answered on the writer thread. */
  shortSearches?: ShortSearches | null;
  /** Running jobs by node, shared with job routing. Default: a new count. */
  running?: RunningJobs;
  /** Determines the error of a job that no node has run. Default: true. */
  hasNodeFor?: (request: SearchJobRequest) => boolean;
  hasOtherNodeFor?: (request: SearchJobRequest, failedOn: ReadonlySet<string>) => boolean;
  onFailedAttempt?: (attempt: FailedAttempt) => void;
  onEnd?: (ended: EndedJob) => void;
  onForeignEnd?: () => void;
  gateway?: Gateway;
  onError?: (thrown: unknown) => void;
};

export function createJobQueue(context: JobQueueContext): JobQueue {
  const { store, clock, settings } = context;
  const gateway = context.gateway ?? singleGateway;
  const { now, follow } = gateway.isShared
    ? createSharedWallClock(clock)
    : createWallClock(clock, (ms) => {
        // Cached entries expire at times from before the step.
        endedJobs.forgetAll();
        return store.write("moveTimes", { ms });
      });
  const endedJobs = createEndedJobs(clock, now, settings.retentionMs);
  const runningJobs = context.running ?? new RunningJobs();
  const hasOtherNodeFor = context.hasOtherNodeFor ?? (() => false);
  const dispatcher = createDispatcher(
    clock,
    settings.maxRunningPerKey,
    hasOtherNodeFor,
    runningJobs,
  );
  const readers = createChangeReaders(store, now);
  const otherGateways = createOtherGateways({
    ...context,
    now,
    gatewayId: gateway.id,
    dispatcher,
    endedJobs,
    readers,
    reportSnapshot,
    onForeignEnd: () => context.onForeignEnd?.(),
  });
  const reads = createJobReads({
    store,
    adopt: gateway.isShared ? (uuid) => otherGateways.reload([uuid]) : null,
    dispatcher,
    endedJobs,
    now,
    idempotencyMs: settings.idempotencyMs,
  });
  const { submit } = createSubmissions({
    ...context,
    now,
    dispatcher,
    reads,
    localNodeId: context.localNodeId ?? null,
    shortSearches: context.shortSearches ?? null,
    reportChange: readers.report,
    reportSnapshot,
  });
  const leases = createLeases({
    ...context,
    gateway,
    now,
    dispatcher,
    reportSnapshot,
    onLeaseRefused: (uuid) => {
      if (gateway.isShared)
        otherGateways.reload([uuid]).catch((thrown) => context.onError?.(thrown));
    },
  });
  const { settleAttempt, activeLease } = leases;
  const sweeper = createSweeper({
    ...context,
    gateway,
    sweepOthers: otherGateways.sweep,
    onHeartbeat: follow,
    now,
    dispatcher,
    activeLease,
    onLeaseExpired: (end) => settleAttempt(end, "lapsed"),
    reportSnapshot,
  });

  async function cancel(
    accountId: string,
    uuid: string,
  ): Promise<"cancelled" | "forgotten" | null> {
    const params = { accountId, uuid: uuid.toLowerCase(), nowMs: now() };
    endedJobs.forget(params.uuid);
    const outcome = await store.write("cancelJob", params);
    endedJobs.forget(params.uuid);
    if (outcome === null || outcome === "forgotten") return outcome;
    reportSnapshot(outcome);
    return "cancelled";
  }

  async function endAll(accountId: string): Promise<void> {
    for (let hasMore = true; hasMore; ) {
      const batch = await store.write("cancelJobsOf", { accountId, nowMs: now() });
      for (const snapshot of batch.snapshots) reportSnapshot(snapshot);
      hasMore = batch.hasMore;
    }
    endedJobs.forgetAccount(accountId);
    const remaining = [...dispatcher.activeJobs()].filter(
      ({ submittedJob }) => submittedJob.accountId === accountId,
    );
    for (const { uuid } of remaining) dispatcher.end(uuid);
    readers.end(accountId);
  }

  function reportSnapshot(
    snapshot: JobSnapshot,
    result: JobResult | null = null,
    known: { active: ActiveJob; page: CachedPage | null } | null = null,
  ): void {
    const { accountId, uuid, state } = snapshot;
    const nowMs = now();
    readers.report(accountId, changeFromSnapshot(snapshot, nowMs));
    if (state === "expired") endedJobs.forget(uuid);
    const job = dispatcher.get(uuid) ?? known?.active;
    if (job !== undefined) job.change = Math.max(job.change, snapshot.change);
    if (job === undefined || !isEnd(state)) return;
    const endedJob = jobAfter(job.submittedJob, snapshot, result, nowMs);
    endedJobs.add(endedJob, known?.page);
    dispatcher.end(uuid, endedJob);
    const { keyId, request, submittedMs } = job.submittedJob;
    const { method } = request;
    const { attempts, node, hasDeliveries } = snapshot;
    const posts = known?.page?.lengths.length ?? result?.items.length ?? 0;
    const ms = Math.max(0, nowMs - submittedMs);
    const end = { uuid, accountId, keyId, method, state, attempts, node, posts, ms };
    context.onEnd?.({ ...end, hasDeliveries });
  }

  async function start(): Promise<void> {
    follow(await store.read("sharedTime", { nowMs: now() }));
    const nowMs = now();
    const recovery = { gateway: gateway.id, nowMs, lifetimeMs: settings.deadlineMs };
    await otherGateways.adopt(await store.write("recoverJobs", recovery));
    sweeper.start();
  }

  async function stop(): Promise<void> {
    readers.stop();
    dispatcher.stop();
    await sweeper.stop();
  }

  return {
    submit,
    findEarlier: reads.findEarlier,
    cancel,
    endAll,
    list: reads.list,
    listAll: reads.listAll,
    changes: readers.read,
    takePage: (uuid) =>
      endedJobs.takePage(uuid.toLowerCase(), context.shortSearches?.version() ?? null),
    find: reads.find,
    isUnfinished: reads.isUnfinished,
    waitForEnd: reads.waitForEnd,
    lease: leases.lease,
    renew: leases.renew,
    complete: leases.complete,
    fail: leases.fail,
    wakeNodes: dispatcher.wakeNodes,
    returnJob: leases.returnJob,
    endNodeLeases: leases.endNodeLeases,
    failNodeLeases: leases.failNodeLeases,
    countRunning: (nodeId) => runningJobs.count(nodeId),
    depth: dispatcher.depth,
    applyForeignChanges: otherGateways.applyForeignChanges,
    reload: () => otherGateways.reload(null),
    start,
    stop,
  };
}

function isEnd(state: JobState): state is EndState {
  return state === "done" || state === "error" || state === "cancelled";
}
