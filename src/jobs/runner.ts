import type { Clock } from "../lib/clock.ts";
import { EarshotError, messageOf } from "../lib/errors.ts";
import type { Lease, LeaseFailure, LeaseGateway } from "../nodes/lease.ts";
import { type ArchiveSource, searchArchive } from "../platforms/archive/search.ts";
import { causeOf, failureOf } from "./attempt-fault.ts";
import { type JobResult, type SearchJobRequest, searchMethods } from "./job.ts";

/** How long one request for work is held open. */
const leaseWaitMs = 20_000;
/** How long a runner waits before it asks again after its gateway failed. */
const gatewayPauseMs = 1_000;

/** Why renewing stops; one for all jobs, as an abort without a reason makes an exception each time. */
const jobEnded = new Error("the job has ended");

type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

export type RunnerOptions = {
  gateway: LeaseGateway<SearchJobRequest, JobResult>;
  source: ArchiveSource;
  clock: Clock;
  nodeId: string;
  /** Jobs run at the same time. */
  concurrency: number;
  log: RunnerLog;
};

export type Runner = {
  /** Takes no more jobs and resolves when those under way have ended. */
  stop(): Promise<void>;
};

/**
 * The working side of a node: leases jobs one after another, runs each and hands in its result, or why there is none. A lease
 * is renewed while its job runs; when it is lost all the same, the result is dropped, as another run of the job counts.
 */
export function startRunner(options: RunnerOptions): Runner {
  const stopping = new AbortController();
  const loops = Array.from({ length: options.concurrency }, () => work(options, stopping.signal));
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

async function work(options: RunnerOptions, stopping: AbortSignal): Promise<void> {
  const { gateway, clock, nodeId, log } = options;
  const capabilities = { nodeId, methods: searchMethods };
  while (!stopping.aborted) {
    try {
      const lease = await gateway.lease(capabilities, leaseWaitMs, stopping);
      if (lease !== null) await run(options, lease);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn({ error: messageOf(error) }, "the node could not lease or hand in a job");
      await clock.sleep(gatewayPauseMs, stopping).catch(() => undefined);
    }
  }
}

async function run(options: RunnerOptions, lease: Lease<SearchJobRequest>): Promise<void> {
  const { gateway, clock } = options;
  const ended = new AbortController();
  const renewing = renewUntil(gateway, clock, lease, ended.signal);
  try {
    const outcome = await attempt(options, lease);
    if (outcome.ok) await gateway.complete(lease.uuid, lease.token, outcome.result);
    else await gateway.fail(lease.uuid, lease.token, outcome.failure);
  } catch (error) {
    // What cannot be handed in is no failure of the job: its lease lapses, and it runs again.
    if (!isLostLease(error)) throw error;
  } finally {
    ended.abort(jobEnded);
    await renewing;
  }
}

type Outcome = { ok: true; result: JobResult } | { ok: false; failure: LeaseFailure };

async function attempt(
  { source, log }: RunnerOptions,
  { uuid, attempt: number, work: request, deadlineMs }: Lease<SearchJobRequest>,
): Promise<Outcome> {
  try {
    return { ok: true, result: await searchArchive(source, request, deadlineMs) };
  } catch (error) {
    log.warn({ uuid, attempt: number, ...causeOf(error) }, "an attempt at a job failed");
    return { ok: false, failure: failureOf(error) };
  }
}

/** Renews at half of the time that is left, as long as the job runs; a lost lease shows when the result is handed in. */
async function renewUntil(
  gateway: RunnerOptions["gateway"],
  clock: Clock,
  lease: Lease<SearchJobRequest>,
  ended: AbortSignal,
): Promise<void> {
  let untilMs = lease.untilMs;
  try {
    while (!ended.aborted) {
      await clock.sleep(Math.max(0, (untilMs - clock.now()) / 2), ended);
      untilMs = await gateway.renew(lease.uuid, lease.token);
    }
  } catch {
    return;
  }
}

const isLostLease = (error: unknown): boolean =>
  error instanceof EarshotError && error.code === "lease_lost";
