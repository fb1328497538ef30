import { isDiskError } from "../db/result-codes.ts";
import type { Clock } from "../lib/clock.ts";
import { EarshotError, errorMessage } from "../lib/errors.ts";
import type { Method } from "../platforms/methods.ts";
import type { UpstreamJob } from "../upstream/requests/sessions.ts";
import type { JobResult, SearchJobRequest } from "./job.ts";
import { errorCause, toLeaseFailure } from "./leases/attempt-error.ts";
import {
  isLeaseLost,
  type Lease,
  type LeaseFailure,
  type LeaseGateway,
  type LeaseRequest,
} from "./leases/lease.ts";

const leaseWaitMs = 20_000;
const gatewayPauseMs = 1_000;
const submitPauseMs = 500;

/** Shared, because each abort without a reason creates an exception. */
const jobEnded = new Error("the job has ended");

const leaseLost = new Error("the job's lease was lost");

export type RunnerOptions = {
  gateway: LeaseGateway<SearchJobRequest, JobResult>;
  answer: (request: SearchJobRequest, job: UpstreamJob) => Promise<JobResult>;
  clock: Clock;
  nodeId: string;
  methods: readonly Method[];
  accepts?: LeaseRequest<SearchJobRequest>["accepts"];
  load?: LeaseRequest<SearchJobRequest>["load"];
  concurrency: number;
  /** Called after a local disk error. If absent, the attempt fails. */
  returnJob?: (uuid: string, token: string) => Promise<void>;
  log: RunnerLog;
};

type RunningOptions = Omit<RunnerOptions, "log"> & { log: DiskAwareLog };

export type Runner = {
  stop(): Promise<void>;
};

/** Submits no result after a lease is lost. */
export function startRunner(runnerOptions: RunnerOptions): Runner {
  const options = { ...runnerOptions, log: createDiskAwareLog(runnerOptions.log) };
  const stopping = new AbortController();
  const leaseRequest = makeLeaseRequest(runnerOptions);
  const loops = Array.from({ length: options.concurrency }, () =>
    work(options, leaseRequest, stopping.signal),
  );
  return {
    stop: async () => {
      stopping.abort();
      await Promise.all(loops);
    },
  };
}

function makeLeaseRequest({ nodeId, methods, accepts, load, concurrency }: RunnerOptions) {
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
  leaseRequest: LeaseRequest<SearchJobRequest>,
  stopping: AbortSignal,
): Promise<void> {
  const { gateway, clock, log } = options;
  while (!stopping.aborted) {
    try {
      const lease = await gateway.lease(leaseRequest, leaseWaitMs, stopping);
      if (lease !== null) await run(options, lease, stopping);
    } catch (error) {
      if (stopping.aborted) return;
      log.warn(error, { error: errorMessage(error) }, "the node failed to lease or complete a job");
      await clock.sleep(gatewayPauseMs, stopping).catch(() => undefined);
    }
  }
}

async function run(
  options: RunningOptions,
  lease: Lease<SearchJobRequest>,
  stopping: AbortSignal,
): Promise<void> {
  const endController = new AbortController();
  const lostController = new AbortController();
  const stop = () => lostController.abort(leaseLost);
  lease.lostSignal.addEventListener("abort", stop, { once: true });
  if (lease.lostSignal.aborted) stop();
  const renewing = renewUntil(options, lease, endController.signal, stop);
  try {
    const outcome = await attempt(options, lease, lostController.signal);
    if (outcome === null) return;
    await submitOutcome(options, lease, outcome, [lostController.signal, stopping]);
  } catch (error) {
    // The job has ended or may run again.
    if (!isLeaseLost(error)) throw error;
  } finally {
    lease.lostSignal.removeEventListener("abort", stop);
    endController.abort(jobEnded);
    await renewing;
  }
}

type Outcome =
  | { kind: "done"; result: JobResult }
  | { kind: "failed"; failure: LeaseFailure }
  | { kind: "not run" };

async function submitOutcome(
  { gateway, returnJob, clock, log }: RunningOptions,
  { uuid, token }: Lease<SearchJobRequest>,
  outcome: Outcome,
  endSignals: readonly AbortSignal[],
): Promise<void> {
  for (;;) {
    try {
      if (outcome.kind === "done") await gateway.complete(uuid, token, outcome.result);
      else if (outcome.kind === "failed") await gateway.fail(uuid, token, outcome.failure);
      else await returnJob?.(uuid, token);
      return;
    } catch (error) {
      const isRetryable = error instanceof EarshotError && error.retryable;
      if (!isRetryable || endSignals.some(({ aborted }) => aborted)) throw error;
      log.warn(error, { uuid, error: errorMessage(error) }, "failed to complete a job, retrying");
    }
    await clock.sleep(submitPauseMs, AbortSignal.any([...endSignals])).catch(() => undefined);
  }
}

async function attempt(
  { answer, clock, log, returnJob }: RunningOptions,
  {
    uuid,
    accountId,
    attempt: number,
    work: request,
    remainingMs,
    ...lease
  }: Lease<SearchJobRequest>,
  lostSignal: AbortSignal,
): Promise<Outcome | null> {
  try {
    const deadlineMs = clock.now() + remainingMs;
    const { accepted, released } = lease;
    const optionalFields = { ...(accepted && { accepted }), ...(released && { released }) };
    const job = {
      uuid,
      accountId,
      attempt: number,
      deadlineMs,
      signal: lostSignal,
      ...optionalFields,
    };
    const result = await answer(request, job);
    log.recordSuccess();
    return lostSignal.aborted ? null : { kind: "done", result };
  } catch (error) {
    if (lostSignal.aborted) return null;
    log.warn(error, { uuid, attempt: number, ...errorCause(error) }, "an attempt failed");
    if (returnJob !== undefined && isDiskError(error)) return { kind: "not run" };
    return { kind: "failed", failure: toLeaseFailure(error) };
  }
}

async function renewUntil(
  { gateway, clock }: RunningOptions,
  lease: Lease<SearchJobRequest>,
  endSignal: AbortSignal,
  onLost: () => void,
): Promise<void> {
  let pauseMs = lease.leaseMs / 2;
  const pause = () =>
    clock.sleep(pauseMs, endSignal).then(
      () => true,
      () => false,
    );
  while (await pause()) {
    try {
      pauseMs = (await gateway.renew(lease.uuid, lease.token)) / 2;
    } catch (error) {
      if (isLeaseLost(error)) return onLost();
      pauseMs = gatewayPauseMs;
    }
  }
}

type RunnerLog = { warn(fields: Record<string, unknown>, message: string): void };

type DiskAwareLog = {
  warn(thrown: unknown, fields: Record<string, unknown>, message: string): void;
  recordSuccess(): void;
};

/** Logs only the first of consecutive disk errors. */
function createDiskAwareLog(log: RunnerLog): DiskAwareLog {
  let isFailing = false;
  return {
    warn: (thrown, fields, message) => {
      const isFromDisk = isDiskError(thrown);
      if (!isFromDisk || !isFailing) log.warn(fields, message);
      isFailing ||= isFromDisk;
    },
    recordSuccess: () => {
      isFailing = false;
    },
  };
}
