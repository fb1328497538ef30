import { Registry } from "prom-client";
import { expect, test } from "vitest";
import { addJobMetrics } from "../../http/metrics/jobs.ts";
import type { LeaseGateway } from "../../jobs/leases/lease.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { meteredGateway } from "./node.ts";

const deadlineMs = 120_000;

test("the metrics measure waiting, running and concurrency, including for a job that loses its lease", async () => {
  const clock = createManualClock();
  const registry = new Registry();
  const metrics = addJobMetrics(registry, () => 0);
  const lost = new AbortController();
  let leases = 0;
  const gateway: LeaseGateway<{ method: string }, string> = {
    lease: async () => {
      leases += 1;
      return {
        uuid: `job ${leases}`,
        token: `token ${leases}`,
        work: { method: "searchbyquery" },
        accountId: "account",
        attempt: 1,
        remainingMs: deadlineMs - 3_000,
        leaseMs: 1_000,
        lostSignal: leases === 2 ? lost.signal : new AbortController().signal,
      };
    },
    renew: async () => 0,
    complete: async () => undefined,
    fail: async () => undefined,
  };
  const meteredQueue = meteredGateway(gateway, { metrics, clock, deadlineMs });
  const request = { nodeId: "n", methods: ["searchbyquery"] };
  await meteredQueue.lease(request, 0);
  await meteredQueue.lease(request, 0);
  expect(await registry.metrics()).toContain("earshot_jobs_running 2");
  await clock.advance(2_000);
  lost.abort();
  await meteredQueue.complete("job 1", "token 1", "result");
  await meteredQueue.fail("job 2", "token 2", {
    code: "c",
    message: "m",
    status: 500,
    retryable: true,
  });
  const text = await registry.metrics();
  expect(text).toContain("earshot_jobs_running 0");
  expect(text).toContain('earshot_job_queue_seconds_sum{method="searchbyquery"} 6');
  expect(text).toContain('earshot_job_run_seconds_sum{method="searchbyquery"} 4');
  expect(text).toContain('earshot_job_run_seconds_count{method="searchbyquery"} 2');
});

test("a job that loses its lease before its node gets it does not count as running", async () => {
  const registry = new Registry();
  const metrics = addJobMetrics(registry, () => 0);
  const gateway: LeaseGateway<{ method: string }, string> = {
    lease: async () => ({
      uuid: "job",
      token: "token",
      work: { method: "searchbyquery" },
      accountId: "account",
      attempt: 1,
      remainingMs: deadlineMs,
      leaseMs: 1_000,
      lostSignal: AbortSignal.abort(),
    }),
    renew: async () => 0,
    complete: async () => undefined,
    fail: async () => undefined,
  };
  const meteredQueue = meteredGateway(gateway, { metrics, clock: createManualClock(), deadlineMs });
  await meteredQueue.lease({ nodeId: "n", methods: ["searchbyquery"] }, 0);
  expect(await registry.metrics()).toContain("earshot_jobs_running 0");
});
