import type { Store } from "../../db/operations.ts";
import type { Clock } from "../../lib/clock.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { JobFailure, SearchJobRequest } from "../job.ts";
import type { ActiveLease, AttemptEnd } from "../leases/lease-operations.ts";
import type { FailedAttempt } from "../leases/leases.ts";
import { deadlinePassed, noNode, noSlot, pageNodeMissing } from "../leases/retries.ts";
import type { JobOperations } from "../operations.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import { enforceRetention } from "./retention.ts";

export type SweeperContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  settings: JobSettings;
  dispatcher: Dispatcher;
  activeLease: (job: ActiveJob) => ActiveLease | null;
  onLeaseExpired: (end: AttemptEnd) => void;
  onFailedAttempt?: (attempt: FailedAttempt) => void;
  hasNodeFor?: (request: SearchJobRequest) => boolean;
  reportSnapshot: (snapshot: JobSnapshot) => void;
  onError?: (thrown: unknown) => void;
  gateway: Gateway;
  sweepOthers: () => Promise<void>;
  onHeartbeat: (sharedMs: number) => void;
};

export type Sweeper = { start(): void; stop(): Promise<void> };

const heartbeatIntervalMs = 1_000;
/** A node may need this long to report a failure. */
const longRunMs = 10_000;
const suspensionMs = 5_000;

/** Every second, writes the heartbeat and ends expired leases and jobs past their deadline. */
export function createSweeper(context: SweeperContext): Sweeper {
  const { store, clock, settings, dispatcher, gateway } = context;
  const stopping = new AbortController();
  let watching: Promise<unknown> = Promise.resolve();
  let unwrittenSinceMs: number | null = null;

  async function watch(): Promise<void> {
    while (!stopping.signal.aborted) {
      await sweep().catch((thrown) => context.onError?.(thrown));
      await pause();
    }
  }

  async function pause(): Promise<void> {
    const startMs = clock.elapsed();
    await clock.sleep(heartbeatIntervalMs, stopping.signal).catch(() => undefined);
    const lateMs = clock.elapsed() - startMs - heartbeatIntervalMs;
    if (lateMs >= suspensionMs) extendTimes(lateMs);
  }

  /** The duration of a suspension does not count against jobs. */
  function extendTimes(ms: number): void {
    moveTimes(Math.round(ms)).catch((thrown) => context.onError?.(thrown));
  }

  async function moveTimes(ms: number): Promise<void> {
    if (!gateway.isShared) await store.write("moveTimes", { ms });
    for (const job of dispatcher.activeJobs()) {
      if (!gateway.isShared) job.deadlineMs += ms;
      if (job.lease !== null) job.lease.untilMs += ms;
    }
  }

  /** Time without a writable store does not count against jobs. */
  async function beat(): Promise<void> {
    const startMs = clock.elapsed();
    try {
      if (unwrittenSinceMs !== null) {
        await moveTimes(Math.round(startMs - unwrittenSinceMs));
      }
      unwrittenSinceMs = null;
      const capabilities = gateway.capabilities?.() ?? null;
      const heartbeat = { gateway: gateway.id, nowMs: context.now(), capabilities };
      context.onHeartbeat(await store.write("beat", heartbeat));
    } catch (error) {
      unwrittenSinceMs ??= startMs;
      throw error;
    }
  }

  async function sweep(): Promise<void> {
    await beat();
    if (gateway.isShared) await context.sweepOthers();
    await endExpiredLeases();
    await timeOut();
  }

  async function endExpiredLeases(): Promise<void> {
    const { maxAttempts, retryDelayMs } = settings;
    const elapsedMs = clock.elapsed();
    const leases = jobsWhere(({ lease }) => lease !== null && lease.untilMs <= elapsedMs)
      .map(context.activeLease)
      .filter((lease) => lease !== null);
    for (const batch of splitIntoBatches(leases)) {
      const nowMs = context.now();
      const args = { leases: batch, nowMs, maxAttempts, retryDelayMs };
      const ends = await store.write("endExpiredLeases", args);
      for (const end of ends) context.onLeaseExpired(end);
      const endedUuids = new Set(ends.map(({ uuid }) => uuid));
      for (const lease of batch) if (!endedUuids.has(lease.uuid)) loseLease(lease);
    }
  }

  /** For a job that has ended, or whose row has another lease. */
  function loseLease({ uuid, token }: ActiveLease): void {
    const job = dispatcher.get(uuid);
    if (job?.lease?.token === token) dispatcher.loseLease(job);
  }

  async function timeOut(): Promise<void> {
    const elapsedMs = clock.elapsed();
    // A leased job without a local lease runs on a node of another gateway, which may end it first.
    const graceMs = ({ phase, lease }: ActiveJob) => {
      if (phase !== "leased") return 0;
      return lease === null ? 2 * settings.deadlineGraceMs : settings.deadlineGraceMs;
    };
    const lateJobs = jobsWhere((job) => job.deadlineMs + graceMs(job) <= elapsedMs);
    for (const [failure, jobs] of Map.groupBy(lateJobs, getFailure)) {
      for (const batch of splitIntoBatches(jobs)) await timeOutBatch(batch, failure);
    }
  }

  async function timeOutBatch(jobs: readonly ActiveJob[], failure: JobFailure): Promise<void> {
    const uuids = jobs.map(({ uuid }) => uuid);
    const lateAttempts = new Map(jobs.map((job) => [job.uuid, lateAttempt(job)]));
    const snapshots = await store.write("timeOutJobs", { uuids, nowMs: context.now(), failure });
    for (const snapshot of snapshots) {
      const attempt = lateAttempts.get(snapshot.uuid) ?? null;
      if (attempt !== null) context.onFailedAttempt?.(attempt);
      context.reportSnapshot(snapshot);
    }
    for (const uuid of uuids) dispatcher.end(uuid);
  }

  /** Null if the node leased the job too late to be at fault. */
  function lateAttempt({ phase, lease, submittedJob }: ActiveJob): FailedAttempt | null {
    if (phase !== "leased" || lease === null) return null;
    if (clock.elapsed() - lease.sinceMs < longRunMs) return null;
    return { method: submittedJob.request.method, nodeId: lease.nodeId, reason: "late" };
  }

  function getFailure({
    phase,
    failedNodes,
    submittedJob: { request, attempts },
  }: ActiveJob): JobFailure {
    const isWaiting = phase === "waiting" || phase === "delayed";
    if (!isWaiting) return deadlinePassed;
    if (context.hasNodeFor === undefined || context.hasNodeFor(request)) {
      const hasRun = attempts > 0 || failedNodes.size > 0;
      return phase === "waiting" && !hasRun ? noSlot : deadlinePassed;
    }
    return (request.position?.nodeId ?? null) === null ? noNode : pageNodeMissing;
  }

  function jobsWhere(isSelected: (job: ActiveJob) => boolean): ActiveJob[] {
    const selected: ActiveJob[] = [];
    for (const job of dispatcher.activeJobs()) if (isSelected(job)) selected.push(job);
    return selected.toSorted(byAccount);
  }

  function start(): void {
    watching = Promise.all([watch(), enforceRetention(context, stopping.signal)]);
  }

  async function stop(): Promise<void> {
    stopping.abort();
    await watching;
    const heartbeat = { gateway: gateway.id, nowMs: context.now() };
    await (gateway.isShared
      ? store.write("leave", heartbeat)
      : store.write("beat", heartbeat)
    ).catch((thrown) => context.onError?.(thrown));
  }

  return { start, stop };
}

const byAccount = ({ submittedJob: one }: ActiveJob, { submittedJob: other }: ActiveJob): number =>
  one.accountId < other.accountId ? -1 : Number(one.accountId > other.accountId);

const batchSize = 500;

function* splitIntoBatches<Item>(items: readonly Item[]): Generator<readonly Item[]> {
  for (let start = 0; start < items.length; start += batchSize) {
    yield items.slice(start, start + batchSize);
  }
}
