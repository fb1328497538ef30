import type { Clock } from "../lib/clock.ts";
import { isDiskError } from "../lib/disk-error.ts";
import { EarshotError, messageOf } from "../lib/errors.ts";
import type { Method } from "../platforms/methods.ts";
import type { AskingJob } from "../upstream/requests/sessions.ts";
import { causeOf, failureOf } from "./attempt-error.ts";
import { type DiskAwareLog, onceWhileDiskFails, type RunnerLog } from "./disk-aware-log.ts";
import type { JobResult, SearchJobRequest } from "./job.ts";
import type { AskingNode, Lease, LeaseFailure, LeaseGateway } from "./lease.ts";

/** How long one request for work is held open. */
const leaseWaitMs = 20_000;
/** How long a runner waits before it asks or renews again after its gateway failed. */
const gatewayPauseMs = 1_000;
/** Between two tries to hand in what an attempt came to. */
const handInPauseMs = 500;

/** Why renewing stops; one for all jobs, as an abort without a reason makes an exception each time. */
const jobEnded = new Error("the job has ended");

/** Why a search stops before its end; one for all jobs, for the same reason. */
const leaseLost = new Error("the lease of the job is lost");

export type RunnerOptions = {
  gateway: LeaseGateway<SearchJobRequest, JobResult>;
  /** Answers what a job asks. */
  answer: (request: SearchJobRequest, job: AskingJob) => Promise<JobResult>;
  clock: Clock;
  nodeId: string;
  /** Jobs of these alone are taken. */
  methods: readonly Method[];
  /** What of them, and how busy the node is; as for any that asks (jobs/lease.ts). */
  accepts?: AskingNode<SearchJobRequest>["accepts"];
  load?: AskingNode<SearchJobRequest>["load"];
  /** Jobs run at the same time. */
  concurrency: number;
  /**
   * Gives back a job that a disk error of this machine kept from running, for a later attempt. Where it is absent the attempt
   * has failed.
   */
  giveBack?: (uuid: string, token: string) => Promise<void>;
  log: RunnerLog;
};

type RunningOptions = Omit<RunnerOptions, "log"> & { log: DiskAwareLog };

export type Runner = {
  /** Takes no more jobs and resolves when those under way have ended. */
  stop(): Promise<void>;
};

/**
 * The working side of a node: leases jobs one after another, runs each and hands in its result, or why there is none. A lease
 * is renewed while its job runs; when it is lost all the same, the search stops and nothing is handed in: another run of the
 * job counts, or its client wants it no more. What a gateway cannot take, as its disk is full, is handed in again until it can.
 */
export function startRunner(given: RunnerOptions): Runner {
  const options = { ...given, log: onceWhileDiskFails(given.log) };
  const stopping = new AbortController();
  const asking = askingNode(given);
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

function askingNode({ nodeId, methods, accepts, load, concurrency }: RunnerOptions) {
  return {
    nodeId,
    methods,
    slots: () => concurrency,
    ...(accepts === undefined ? {} : { accepts }),
    ...(load === undefined ? {} : { load }),
  };
}

async function work(
  options: RunningOptions,
  asking: AskingNode<SearchJobRequest>,
  stopping: AbortSignal,
): Promise<void> {
  const { gateway, clock, log } = options;
  while (!stopping.aborted) {
    try {
      const lease = await gateway.lease(asking, leaseWaitMs, stopping);
      if (lease !== null) await run(options, lease, stopping);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn(error, { error: messageOf(error) }, "the node could not lease or hand in a job");
      await clock.sleep(gatewayPauseMs, stopping).catch(() => undefined);
    }
  }
}

async function run(
  options: RunningOptions,
  lease: Lease<SearchJobRequest>,
  stopping: AbortSignal,
): Promise<void> {
  const ended = new AbortController();
  const lost = new AbortController();
  const stop = () => lost.abort(leaseLost);
  lease.lost.addEventListener("abort", stop, { once: true });
  if (lease.lost.aborted) stop();
  const renewing = renewUntil(options, lease, ended.signal, stop);
  try {
    const outcome = await attempt(options, lease, lost.signal);
    // Without a lease no one waits for what was found.
    if (outcome === null) return;
    await handIn(options, lease, outcome, [lost.signal, stopping]);
  } catch (error) {
    // What cannot be handed in is no failure of the job: its lease lapses, and it runs again.
    if (!isLostLease(error)) throw error;
  } finally {
    lease.lost.removeEventListener("abort", stop);
    ended.abort(jobEnded);
    await renewing;
  }
}

type Outcome =
  | { kind: "done"; result: JobResult }
  | { kind: "failed"; failure: LeaseFailure }
  | { kind: "not run" };

/** Tries until the gateway has it, the lease is lost or the runner stops; the renewals go on and keep the lease. */
async function handIn(
  { gateway, giveBack, clock, log }: RunningOptions,
  { uuid, token }: Lease<SearchJobRequest>,
  outcome: Outcome,
  ends: readonly AbortSignal[],
): Promise<void> {
  for (;;) {
    try {
      if (outcome.kind === "done") await gateway.complete(uuid, token, outcome.result);
      else if (outcome.kind === "failed") await gateway.fail(uuid, token, outcome.failure);
      else await giveBack?.(uuid, token);
      return;
    } catch (error) {
      const isPassing = error instanceof EarshotError && error.retryable;
      if (!isPassing || ends.some(({ aborted }) => aborted)) throw error;
      log.warn(error, { uuid, error: messageOf(error) }, "a job is handed in again");
    }
    await clock.sleep(handInPauseMs, AbortSignal.any([...ends])).catch(() => undefined);
  }
}

/** Null when the lease was lost meanwhile. */
async function attempt(
  { answer, clock, log, giveBack }: RunningOptions,
  { uuid, accountId, attempt: number, work: request, leftMs, ...lease }: Lease<SearchJobRequest>,
  lost: AbortSignal,
): Promise<Outcome | null> {
  try {
    const deadlineMs = clock.now() + leftMs;
    const { accepted, released } = lease;
    const optional = { ...(accepted && { accepted }), ...(released && { released }) };
    const job = { uuid, accountId, attempt: number, deadlineMs, signal: lost, ...optional };
    const result = await answer(request, job);
    log.noteSuccess();
    return lost.aborted ? null : { kind: "done", result };
  } catch (error) {
    if (lost.aborted) return null;
    log.warn(error, { uuid, attempt: number, ...causeOf(error) }, "an attempt at a job failed");
    if (giveBack !== undefined && isDiskError(error)) return { kind: "not run" };
    return { kind: "failed", failure: failureOf(error) };
  }
}

/**
 * Renews at half of the time that is left, as long as the job runs, and soon again when the gateway fails; `onLost` is told when
 * the lease is gone.
 */
async function renewUntil(
  { gateway, clock }: RunningOptions,
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
