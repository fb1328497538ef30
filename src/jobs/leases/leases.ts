import type { Store } from "../../db/operations.ts";
import { type Clock, timeAfter } from "../../lib/clock.ts";
import { startSlices } from "../../lib/slices.ts";
import type { Method } from "../../platforms/methods.ts";
import { withUnsearchedSpan } from "../../search/merge/damage.ts";
import type { ActiveJob, Dispatcher } from "../dispatch/dispatcher.ts";
import { withLateStartWarning } from "../dispatch/late-start.ts";
import { fetchedPosts } from "../ends/fetched-operations.ts";
import type { Gateway } from "../gateways/gateway.ts";
import type { JobResult, SearchJobRequest } from "../job.ts";
import type { JobOperations } from "../operations.ts";
import type { JobSnapshot } from "../reads/visible-change.ts";
import type { JobSettings } from "../settings.ts";
import { encodeLargeResult, encodeResult, isLarge } from "../stored.ts";
import {
  type Lease,
  type LeaseFailure,
  type LeaseGateway,
  type LeaseRequest,
  leaseLost,
} from "./lease.ts";
import type { ActiveLease, AttemptEnd } from "./lease-operations.ts";

export type Leases = LeaseGateway<SearchJobRequest, JobResult> & {
  activeLease(job: ActiveJob): ActiveLease | null;
  settleAttempt(end: AttemptEnd, why: FailedAttempt["reason"]): void;
  returnJob(uuid: string, token: string, delayMs?: number): Promise<void>;
  endNodeLeases(nodeId: string): Promise<number>;
  failNodeLeases(nodeId: string): Promise<void>;
};

/**
 * `lapsed`: the lease was not renewed; `late`: the job passed its deadline after running for a
 * while.
 */
export type FailedAttempt = {
  method: Method;
  nodeId: string | null;
  reason: "failed" | "lapsed" | "late";
};

type LeasesContext = {
  store: Store<JobOperations>;
  clock: Clock;
  now: () => number;
  randomUuid: () => string;
  settings: JobSettings;
  dispatcher: Dispatcher;
  reportSnapshot: (snapshot: JobSnapshot, result?: JobResult) => void;
  onFailedAttempt?: (attempt: FailedAttempt) => void;
  gateway: Gateway;
  onLeaseRefused?: (uuid: string) => void;
};

export function createLeases(context: LeasesContext): Leases {
  const { store, clock, now, randomUuid, settings, dispatcher, reportSnapshot } = context;

  async function lease(
    request: LeaseRequest<SearchJobRequest>,
    waitMs: number,
    signal?: AbortSignal,
  ): Promise<Lease<SearchJobRequest> | null> {
    const endMs = clock.elapsed() + waitMs;
    for (;;) {
      const msLeft = endMs - clock.elapsed();
      const job = await dispatcher.next(request, msLeft, signal);
      if (job === null) return null;
      const newLease = await leaseJob(job, request.nodeId);
      if (newLease !== null) return newLease;
    }
  }

  async function leaseJob(job: ActiveJob, node: string): Promise<Lease<SearchJobRequest> | null> {
    const elapsedMs = clock.elapsed();
    if (job.deadlineMs <= elapsedMs) {
      dispatcher.release(job);
      job.uncommittedJob?.commit();
      return null;
    }
    const { uuid } = job;
    const token = randomUuid();
    const lossController = new AbortController();
    const untilElapsedMs = elapsedMs + settings.leaseMs;
    job.lease = {
      token,
      nodeId: node,
      sinceMs: elapsedMs,
      untilMs: untilElapsedMs,
      lossController,
    };
    const nowMs = now();
    const untilMs = timeAfter(nowMs, settings.leaseMs);
    const terms = { uuid, token, node, gateway: context.gateway.id, nowMs, untilMs };
    const newLease = (attempt: number): Lease<SearchJobRequest> => ({
      uuid,
      work: job.submittedJob.request,
      accountId: job.submittedJob.accountId,
      attempt,
      remainingMs: job.deadlineMs - clock.elapsed(),
      token,
      leaseMs: settings.leaseMs,
      lostSignal: lossController.signal,
    });
    const { uncommittedJob } = job;
    if (uncommittedJob !== null) {
      uncommittedJob.lease = terms;
      return { ...newLease(1), accepted: uncommittedJob.accepted };
    }
    try {
      const snapshot = await store.write("leaseJob", terms);
      if (snapshot !== null) {
        reportSnapshot(snapshot);
        return newLease(snapshot.attempts);
      }
    } catch (error) {
      job.lease = null;
      dispatcher.release(job);
      if (dispatcher.get(uuid) === job) dispatcher.offer(job);
      throw error;
    }
    job.lease = null;
    dispatcher.release(job);
    context.onLeaseRefused?.(uuid);
    return null;
  }

  async function renew(uuid: string, token: string): Promise<number> {
    const { leaseMs } = settings;
    dispatcher.get(uuid)?.uncommittedJob?.commit();
    const lease = findLease(uuid, token);
    if (lease !== null) lease.untilMs = clock.elapsed() + leaseMs;
    const untilMs = timeAfter(now(), leaseMs);
    if (!(await store.write("renewLease", { uuid, token, untilMs }))) throw leaseLost(uuid);
    return leaseMs;
  }

  async function complete(uuid: string, token: string, answer: JobResult): Promise<void> {
    const job = dispatcher.get(uuid);
    const { deadlineMs } = settings;
    const waitedMs = job === undefined ? 0 : computeWaitMs(job, token);
    releaseLease(uuid, token);
    const answerWithGap = withUnsearchedSpan(answer, job?.submittedJob.request.unsearched ?? null);
    const result = withLateStartWarning(answerWithGap, { waitedMs, deadlineMs });
    const isOwn = job?.lease?.token === token;
    if (isOwn && job.uncommittedJob !== null) {
      if (!isLarge(result)) return await job.uncommittedJob.commitDone(result);
      job.uncommittedJob.commit();
    }
    // A small result's write is queued before any later request.
    const text = isLarge(result)
      ? await encodeLargeResult(result, startSlices(clock))
      : encodeResult(result);
    const nowMs = now();
    const snapshot = await store.write("completeJob", {
      uuid,
      token,
      nowMs,
      expiresMs: timeAfter(nowMs, settings.resultRetentionMs),
      result: text,
      fetched: fetchedPosts(result),
    });
    if (snapshot === null) throw leaseLost(uuid);
    reportSnapshot(snapshot, result);
  }

  async function fail(uuid: string, token: string, failure: LeaseFailure): Promise<void> {
    const job = dispatcher.get(uuid);
    job?.uncommittedJob?.commit();
    releaseLease(uuid, token);
    const { maxAttempts, retryDelayMs } = settings;
    const nowMs = now();
    const deadlineMs = job === undefined ? nowMs : jobDeadline(job);
    const end = await store.write("failJob", {
      lease: { uuid, token, deadlineMs },
      failure,
      nowMs,
      maxAttempts,
      retryDelayMs,
    });
    if (end === null) throw leaseLost(uuid);
    settleAttempt(end, "failed");
  }

  async function returnJob(uuid: string, token: string, delayMs = 0): Promise<void> {
    const job = dispatcher.get(uuid);
    const lease = job === undefined ? null : activeLease(job);
    if (lease?.token === token) await requeue([lease], delayMs);
  }

  async function endNodeLeases(nodeId: string): Promise<number> {
    return await requeue(listLeases(nodeId));
  }

  async function requeue(leases: readonly ActiveLease[], delayMs = 0): Promise<number> {
    const snapshots = await store.write("giveBackJobs", { leases, nowMs: now() });
    // Reversed, because each job goes to the front of its key's queue.
    for (const snapshot of snapshots.toReversed()) {
      reportSnapshot(snapshot);
      const job = dispatcher.get(snapshot.uuid);
      if (job === undefined) continue;
      dispatcher.loseLease(job);
      if (delayMs > 0) dispatcher.offerLater(job, delayMs);
      else dispatcher.requeue(job);
    }
    return snapshots.length;
  }

  async function failNodeLeases(nodeId: string): Promise<void> {
    const { maxAttempts, retryDelayMs } = settings;
    const rules = { nowMs: now(), maxAttempts, retryDelayMs };
    const leases = listLeases(nodeId);
    const ends = await store.write("endExpiredLeases", { leases, ...rules });
    for (const end of ends) settleAttempt(end, "failed");
  }

  function computeWaitMs(
    { lease, failedNodes, submittedJob, deadlineMs }: ActiveJob,
    token: string,
  ): number {
    if (lease?.token !== token || failedNodes.size > 0 || submittedJob.attempts > 0) return 0;
    return settings.deadlineMs - (deadlineMs - lease.sinceMs);
  }

  const listLeases = (nodeId: string): ActiveLease[] =>
    [...dispatcher.activeJobs()]
      .filter(({ runningNode }) => runningNode === nodeId)
      .map(activeLease)
      .filter((lease) => lease !== null);

  /** Lets the key run its next search during the write. */
  function releaseLease(uuid: string, token: string): void {
    const job = dispatcher.get(uuid);
    if (job?.lease?.token === token) dispatcher.release(job);
  }

  function findLease(uuid: string, token: string): ActiveJob["lease"] {
    const lease = dispatcher.get(uuid)?.lease ?? null;
    return lease?.token === token ? lease : null;
  }

  function activeLease(job: ActiveJob): ActiveLease | null {
    job.uncommittedJob?.commit();
    const { uuid, lease } = job;
    return lease === null ? null : { uuid, token: lease.token, deadlineMs: jobDeadline(job) };
  }

  function jobDeadline(job: ActiveJob): number {
    return timeAfter(now(), job.deadlineMs - clock.elapsed());
  }

  function settleAttempt(
    { uuid, notBeforeMs, snapshot }: AttemptEnd,
    reason: FailedAttempt["reason"],
  ): void {
    const job = dispatcher.get(uuid);
    if (job !== undefined) {
      const { method } = job.submittedJob.request;
      const nodeId = job.lease?.nodeId ?? null;
      if (nodeId !== null) job.failedNodes.add(nodeId);
      context.onFailedAttempt?.({ method, nodeId, reason });
    }
    if (snapshot !== null) reportSnapshot(snapshot);
    if (job === undefined || notBeforeMs === null) return;
    dispatcher.loseLease(job);
    dispatcher.offerLater(job, notBeforeMs - now());
  }

  return {
    lease,
    renew,
    complete,
    fail,
    activeLease,
    settleAttempt,
    returnJob,
    endNodeLeases,
    failNodeLeases,
  };
}
