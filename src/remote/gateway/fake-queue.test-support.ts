import { randomUUID } from "node:crypto";
import {
  type Lease,
  type LeaseFailure,
  type LeaseRequest,
  leaseLost,
} from "../../jobs/leases/lease.ts";
import { firstValue } from "../../lib/abortable-wait.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EarshotError } from "../../lib/errors.ts";
import type { GatewayWork, NodeQueue, SignedAnswer } from "./context.ts";

type FakeJob = {
  uuid: string;
  work: GatewayWork;
  attempts: number;
  dispatchedAtMs: number | null;
  lease: { nodeId: string; token: string; lost: AbortController } | null;
  result: SignedAnswer | null;
  failures: LeaseFailure[];
  remainingMs: number;
  deaths: number;
};

export type FakeQueue = NodeQueue & {
  countRunning(nodeId: string): number;
  add(work?: Partial<GatewayWork>): string;
  job(uuid: string): FakeJob;
  jobs(): readonly FakeJob[];
  remove(uuid: string): void;
  loseLease(uuid: string): void;
  /** Makes writes fail until called with null. */
  failWith(error: EarshotError | null): void;
};

const holdMs = 30_000;

export const comet: GatewayWork = {
  platform: "x",
  type: "social",
  method: "searchbyquery",
  query: "comet",
  fromMs: 1_700_000_000_000,
  toMs: 1_700_000_600_000,
  asOfMs: 1_700_000_600_000,
  after: null,
  maxResults: 10,
};

export function createFakeQueue(clock: Clock): FakeQueue {
  const jobs = new Map<string, FakeJob>();
  const wakeFunctions = new Set<() => void>();
  let error: EarshotError | null = null;

  function leasedJob(uuid: string, token: string): FakeJob {
    if (error !== null) throw error;
    const job = jobs.get(uuid);
    if (job?.lease?.token !== token) throw leaseLost(uuid);
    return job;
  }

  function leaseWaitingJob(request: LeaseRequest<GatewayWork>): FakeJob | null {
    if (request.isOpen?.() === false) return null;
    for (const job of jobs.values()) {
      const isWaiting = job.lease === null && job.result === null;
      if (!isWaiting || !request.methods.includes(job.work.method)) continue;
      if (request.accepts?.(job.work) === false) continue;
      const { nodeId } = request;
      job.lease = { nodeId, token: randomUUID(), lost: new AbortController() };
      job.dispatchedAtMs = clock.elapsed();
      request.onLease?.();
      return job;
    }
    return null;
  }

  function endLease(job: FakeJob): void {
    const { lease } = job;
    job.lease = null;
    lease?.lost.abort();
  }

  function wakeNodes(): void {
    for (const wake of [...wakeFunctions]) wake();
  }

  return {
    add: (work = {}) => {
      const uuid = randomUUID();
      jobs.set(uuid, {
        uuid,
        work: { ...comet, ...work },
        attempts: 0,
        dispatchedAtMs: null,
        lease: null,
        result: null,
        failures: [],
        remainingMs: 120_000,
        deaths: 0,
      });
      wakeNodes();
      return uuid;
    },
    job: (uuid) => {
      const job = jobs.get(uuid);
      if (job === undefined) throw new Error(`no job ${uuid}`);
      return job;
    },
    jobs: () => [...jobs.values()],
    remove: (uuid) => {
      jobs.delete(uuid);
    },
    loseLease: (uuid) => {
      const job = jobs.get(uuid);
      if (job !== undefined) endLease(job);
      wakeNodes();
    },
    failWith: (next) => {
      error = next;
    },
    lease: async (request, waitMs, signal): Promise<Lease<GatewayWork> | null> => {
      const job =
        leaseWaitingJob(request) ??
        (await firstValue<FakeJob>(clock, waitMs, signal, (resolve) => {
          const tryTake = () => {
            const found = leaseWaitingJob(request);
            if (found !== null) resolve(found);
          };
          wakeFunctions.add(tryTake);
          return () => wakeFunctions.delete(tryTake);
        }));
      if (job?.lease == null) return null;
      const { token, lost } = job.lease;
      await Promise.resolve();
      job.attempts += 1;
      return {
        uuid: job.uuid,
        work: job.work,
        accountId: "account",
        attempt: job.attempts,
        remainingMs: job.remainingMs,
        token,
        leaseMs: holdMs,
        lostSignal: lost.signal,
      };
    },
    renew: async (uuid, token) => {
      leasedJob(uuid, token);
      return holdMs;
    },
    complete: async (uuid, token, result) => {
      const job = leasedJob(uuid, token);
      job.result = result;
      job.lease = null;
      await Promise.resolve();
    },
    fail: async (uuid, token, failure) => {
      const job = leasedJob(uuid, token);
      job.failures.push(failure);
      job.lease = null;
      wakeNodes();
    },
    wakeNodes,
    returnJob: async (uuid, token) => {
      const job = leasedJob(uuid, token);
      job.attempts -= 1;
      endLease(job);
      wakeNodes();
    },
    endNodeLeases: async (nodeId) => {
      for (const job of jobs.values()) if (job.lease?.nodeId === nodeId) endLease(job);
      wakeNodes();
    },
    failNodeLeases: async (nodeId) => {
      for (const job of jobs.values()) {
        if (job.lease?.nodeId !== nodeId) continue;
        endLease(job);
        job.deaths += 1;
      }
      wakeNodes();
    },
    countRunning: (nodeId) =>
      [...jobs.values()].filter((job) => job.lease?.nodeId === nodeId).length,
  };
}
