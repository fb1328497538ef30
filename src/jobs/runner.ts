import type { Clock } from "../lib/clock.ts";
import { EarshotError, messageOf } from "../lib/errors.ts";
import type { AskingNode, Lease, LeaseFailure, LeaseGateway } from "../nodes/lease.ts";
import type { Method } from "../platforms/methods.ts";
import type { AskingJob } from "../platforms/requests/sessions.ts";
import { causeOf, failureOf } from "./attempt-fault.ts";
import type { JobResult, SearchJobRequest } from "./job.ts";

/** How long one request for work is held open. */
const leaseWaitMs = 20_000;
/** How long a runner waits before it asks or renews again after its gateway failed. */
const gatewayPauseMs = 1_000;

/** Why renewing stops; one for all jobs, as an abort without a reason makes an exception each time. */
const jobEnded = new Error("the job has ended");

/** Why a search stops before its end; one for all jobs, for the same reason. */
const leaseLost = new Error("the lease of the job is lost");

type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

export type RunnerOptions = {
  gateway: LeaseGateway<SearchJobRequest, JobResult>;
  /** Answers what a job asks. */
  answer: (request: SearchJobRequest, job: AskingJob) => Promise<JobResult>;
  clock: Clock;
  nodeId: string;
  /** Jobs of these alone are taken. */
  methods: readonly Method[];
  /** What of them, and how busy the node is; as for any that asks (nodes/lease.ts). */
  accepts?: AskingNode<SearchJobRequest>["accepts"];
  load?: AskingNode<SearchJobRequest>["load"];
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
 * is renewed while its job runs; when it is lost all the same, the search stops and nothing is handed in: another run of the
 * job counts, or its client wants it no more.
 */
export function startRunner(options: RunnerOptions): Runner {
  const stopping = new AbortController();
  const asking = askingNode(options);
  const loops = Array.from({ length: options.concurrency }, () =>
    work(options, asking, stopping.signal),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

function askingNode({ nodeId, methods, accepts, load }: RunnerOptions) {
  return {
    nodeId,
    methods,
    ...(accepts === undefined ? {} : { accepts }),
    ...(load === undefined ? {} : { load }),
  };
}

async function work(
  options: RunnerOptions,
  asking: AskingNode<SearchJobRequest>,
  stopping: AbortSignal,
): Promise<void> {
  const { gateway, clock, log } = options;
  while (!stopping.aborted) {
    try {
      const lease = await gateway.lease(asking, leaseWaitMs, stopping);
      if (lease !== null) await run(options, lease);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn({ error: messageOf(error) }, "the node could not lease or hand in a job");
      await clock.sleep(gatewayPauseMs, stopping).catch(() => undefined);
    }
  }
}

async function run(options: RunnerOptions, lease: Lease<SearchJobRequest>): Promise<void> {
  const { gateway } = options;
  const ended = new AbortController();
  const lost = new AbortController();
  const stop = () => lost.abort(leaseLost);
  lease.lost.addEventListener("abort", stop, { once: true });
  if (lease.lost.aborted) stop();
  const renewing = renewUntil(options, lease, ended.signal, stop);
  try {
    const outcome = await attempt(options, lease, lost.signal);
    // Nobody waits for what was found without a lease.
    if (outcome === null) return;
    if (outcome.ok) await gateway.complete(lease.uuid, lease.token, outcome.result);
    else await gateway.fail(lease.uuid, lease.token, outcome.failure);
  } catch (error) {
    // What cannot be handed in is no failure of the job: its lease lapses, and it runs again.
    if (!isLostLease(error)) throw error;
  } finally {
    lease.lost.removeEventListener("abort", stop);
    ended.abort(jobEnded);
    await renewing;
  }
}

type Outcome = { ok: true; result: JobResult } | { ok: false; failure: LeaseFailure };

/** Null when the lease was lost meanwhile. */
async function attempt(
  { answer, clock, log }: RunnerOptions,
  { uuid, accountId, attempt: number, work: request, leftMs }: Lease<SearchJobRequest>,
  lost: AbortSignal,
): Promise<Outcome | null> {
  try {
    const deadlineMs = clock.now() + leftMs;
    const job = { uuid, accountId, attempt: number, deadlineMs, signal: lost };
    const result = await answer(request, job);
    return lost.aborted ? null : { ok: true, result };
  } catch (error) {
    if (lost.aborted) return null;
    log.warn({ uuid, attempt: number, ...causeOf(error) }, "an attempt at a job failed");
    return { ok: false, failure: failureOf(error) };
  }
}

/**
 * Renews at half of the time that is left, as long as the job runs, and soon again when the gateway fails; `onLost` is told when
 * the lease is gone.
 */
async function renewUntil(
  { gateway, clock }: RunnerOptions,
  lease: Lease<SearchJobRequest>,
  ended: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let pauseMs = lease.holdMs / 2;
  const rest = () =>
    clock.sleep(pauseMs, ended).then(
      () => true,
      () => false,
    );
  while (await rest()) {
    try {
      pauseMs = (await gateway.renew(lease.uuid, lease.token)) / 2;
    } catch (error) {
      if (isLostLease(error)) return onLost();
      pauseMs = gatewayPauseMs;
    }
  }
}

const isLostLease = (error: unknown): boolean =>
  error instanceof EarshotError && error.code === "lease_lost";
