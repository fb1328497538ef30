import type { Metrics } from "../../http/metrics/metrics.ts";
import type { LeaseGateway } from "../../jobs/leases/lease.ts";
import type { Clock } from "../../lib/clock.ts";

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
  const running = new Map<string, { method: string; sinceMs: number }>();

  const lease: typeof gateway.lease = async (...args) => {
    const leased = await gateway.lease(...args);
    if (leased === null) return null;
    const { method } = leased.work;
    running.set(leased.token, { method, sinceMs: clock.elapsed() });
    metrics.jobsRunning.set(running.size);
    leased.lost.addEventListener("abort", () => recordEnd(leased.token), { once: true });
    // A signal that is already aborted fires no event.
    if (leased.lost.aborted) recordEnd(leased.token);
    if (leased.attempt === 1) {
      // Server downtime extends the deadline and does not count as waiting.
      const waitedMs = Math.max(0, deadlineMs - leased.remainingMs);
      metrics.queueSeconds.observe({ method }, waitedMs / 1000);
    }
    return leased;
  };

  function recordEnd(token: string): void {
    const job = running.get(token);
    if (job === undefined) return;
    running.delete(token);
    metrics.jobsRunning.set(running.size);
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
