/** Jobs per second through the control store alone: submit, lease, complete, all durable, nothing searched. */
import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Position } from "../src/archive/archive.ts";
import type { JobResult, SearchJobRequest } from "../src/jobs/job.ts";
import { createJobQueue, type JobQueue } from "../src/jobs/queue.ts";
import { jobDefaults } from "../src/jobs/settings.ts";
import type { NewJob } from "../src/jobs/submissions/submission.ts";
import { systemClock } from "../src/lib/clock.ts";
import { startControl } from "../src/server/control/control.ts";

const jobsPerRun = 10_000;
const postsPerResult = 100;
const keyCount = 16;

const request: SearchJobRequest = {
  platform: "social",
  type: "social",
  method: "searchbyquery",
  query: "comet lang:en -filter:retweets",
  maxResults: postsPerResult,
  fromMs: 1_700_000_000_000,
  toMs: 1_700_600_000_000,
  asOfMs: 0,
  after: null,
};

const items: Position[] = Array.from({ length: postsPerResult }, (_, index) => ({
  platform: "bluesky",
  id: 1_860_000_000_000_000_000n - BigInt(index) * 4_194_304n,
}));

const result: JobResult = {
  items,
  next: items.at(-1) ?? null,
  complete: true,
  coverage: { fromMs: null, toMs: 1_700_600_000_000, complete: true, gaps: [] },
  sources: [],
  warnings: [],
};

async function runNode(queue: JobQueue, signal: AbortSignal): Promise<void> {
  const capabilities = { nodeId: "bench", methods: ["searchbyquery"] };
  while (!signal.aborted) {
    const lease = await queue.lease(capabilities, 1_000, signal);
    if (lease !== null) await queue.complete(lease.uuid, lease.token, result);
  }
}

async function runClient(queue: JobQueue, job: NewJob, jobs: number, times: number[]) {
  for (let done = 0; done < jobs; done += 1) {
    const startMs = performance.now();
    const { uuid } = await queue.submit(job);
    const endedJob = await queue.waitForEnd(job.accountId, uuid, 10_000);
    if (endedJob?.state !== "done") throw new Error(`job ${uuid} is ${endedJob?.state}`);
    times.push(performance.now() - startMs);
  }
}

const dataDir = mkdtempSync(join(tmpdir(), "earshot-bench-"));
const control = await startControl({ dataDir });
const queue = createJobQueue({
  store: control.store,
  clock: systemClock,
  randomUuid: randomUUID,
  settings: jobDefaults,
});
await queue.start();

const newJobs: NewJob[] = [];
for (let index = 0; index < keyCount; index += 1) {
  const key = await control.store.write("createKey", {
    name: `bench ${index}`,
    accountName: null,
    requestsPerSecond: null,
    submissionsPerMinute: null,
    nowMs: Date.now(),
  });
  newJobs.push({
    accountId: key.accountId,
    keyId: key.id,
    request,
    canonicalQuery: request.query,
    warnings: [],
  });
}

const stop = new AbortController();
const nodes = Array.from({ length: 16 }, () => runNode(queue, stop.signal));
for (const clients of [1, 16, 1, 16]) {
  const times: number[] = [];
  const cpuBefore = process.cpuUsage();
  const startMs = performance.now();
  await Promise.all(
    newJobs
      .slice(0, clients)
      .map((job) => runClient(queue, job, Math.floor(jobsPerRun / clients), times)),
  );
  const seconds = (performance.now() - startMs) / 1000;
  const cpu = process.cpuUsage(cpuBefore);
  times.sort((a, b) => a - b);
  const at = (share: number) => (times[Math.floor(times.length * share)] ?? 0).toFixed(2);
  console.log(
    `${clients} in flight: ${Math.round(times.length / seconds)} jobs/s, ` +
      `median ${at(0.5)} ms, p99 ${at(0.99)} ms, ${((cpu.user + cpu.system) / 1e6 / seconds).toFixed(2)} cores`,
  );
}

stop.abort();
await Promise.all(nodes);
await queue.stop();
await control.close();
rmSync(dataDir, { recursive: true });
