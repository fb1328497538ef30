import type { Metrics } from "../../http/metrics/metrics.ts";
import { embeddedNodeId, type LeaseGateway } from "../../jobs/leases/lease.ts";
import type { Runner } from "../../jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import { withRecords } from "../../search/merge/answer-records.ts";
import type { AppContext } from "../context.ts";
import { startRunners } from "../start-runners.ts";

/** Pause before the retry of a job that failed because of a disk error. */
const diskPauseMs = 1_000;

/** The embedded node (EARSHOT_EMBEDDED_NODE). */
export function startNode(context: AppContext): Runner {
  const { config, queue, upstreams, router, clock, log, metrics, sharing } = context;
  const { deadlineMs, concurrency, fetchConcurrency } = config.jobs;
  if (config.nodes.embedded === "off") return { stop: async () => undefined };
  return startRunners(config.jobs, {
    gateway: meteredGateway(queue, { metrics, clock, deadlineMs }),
    answer: sharing.gateway.isShared ? answerWithRecords(context) : upstreams.answer,
    clock,
    nodeId: embeddedNodeId,
    accepts: router.runsHere,
    load: () => queue.countRunning(embeddedNodeId) / (concurrency + fetchConcurrency),
    returnJob: (uuid, token) => queue.returnJob(uuid, token, diskPauseMs),
    log,
  });
}

/** Other gateways, with other archives, may have to return the answer. */
function answerWithRecords({ archive, upstreams }: AppContext): AppContext["upstreams"]["answer"] {
  return async (...args) => await withRecords(archive, await upstreams.answer(...args));
}

type Work = { method: string };

export type GatewayMeter = {
  metrics: Pick<Metrics, "jobsRunning" | "queueSeconds" | "runSeconds">;
  clock: Pick<Clock, "elapsed">;
  /** Counted from the submission. */
  deadlineMs: number;
};

export function meteredGateway<Job extends Work, Result>(
  gateway: LeaseGateway<Job, Result>,
  { metrics, clock, deadlineMs }: GatewayMeter,
): LeaseGateway<Job, Result> {
  const runningJobs = new Map<string, { method: string; sinceMs: number }>();

  const lease: typeof gateway.lease = async (...args) => {
    const leasedJob = await gateway.lease(...args);
    if (leasedJob === null) return null;
    const { method } = leasedJob.work;
    runningJobs.set(leasedJob.token, { method, sinceMs: clock.elapsed() });
    metrics.jobsRunning.set(runningJobs.size);
    leasedJob.lostSignal.addEventListener("abort", () => recordEnd(leasedJob.token), {
      once: true,
    });
    // A signal that is already aborted fires no event.
    if (leasedJob.lostSignal.aborted) recordEnd(leasedJob.token);
    if (leasedJob.attempt === 1) {
      // Server downtime extends the deadline and does not count as waiting.
      const waitMs = Math.max(0, deadlineMs - leasedJob.remainingMs);
      metrics.queueSeconds.observe({ method }, waitMs / 1000);
    }
    return leasedJob;
  };

  function recordEnd(token: string): void {
    const job = runningJobs.get(token);
    if (job === undefined) return;
    runningJobs.delete(token);
    metrics.jobsRunning.set(runningJobs.size);
    const { method, sinceMs } = job;
    metrics.runSeconds.observe({ method }, (clock.elapsed() - sinceMs) / 1000);
  }

  return {
    ...gateway,
    lease,
    complete: async (uuid, token, result) => {
      recordEnd(token);
      await gateway.complete(uuid, token, result);
    },
    fail: async (uuid, token, failure) => {
      recordEnd(token);
      await gateway.fail(uuid, token, failure);
    },
  };
}
