import { afterEach, beforeEach, expect, test } from "vitest";
import type { SearchJobRequest } from "../job.ts";
import type { Lease } from "../leases/lease.ts";
import type { EndedJob } from "../queue.ts";
import { failure, newJob, request, result, startTestQueue, type TestQueue } from "../test-jobs.ts";
import type { SubmittedJob } from "./submission.ts";
import { maxUncommittedMs } from "./submission-commits.ts";

const node = { nodeId: "local", methods: ["searchbyquery", "getbyid"] };
let jobs: TestQueue;
let ended: EndedJob[];

beforeEach(async () => {
  ended = [];
  jobs = await startTestQueue({}, undefined, {
    localNodeId: "local",
    onEnd: (job) => ended.push(job),
  });
});

afterEach(() => jobs.close());

type Run = { submitted: Promise<SubmittedJob>; lease: Lease<SearchJobRequest> };

async function run(job = newJob()): Promise<Run> {
  const leasing = jobs.queue.lease(node, 1_000);
  const submitted = jobs.queue.submit(job);
  submitted.catch(() => undefined);
  const lease = await leasing;
  if (lease === null) throw new Error("the local node got no job");
  return { submitted, lease };
}

const isOnDisk = (uuid: string) =>
  jobs.table.database.get("SELECT 1 FROM job WHERE uuid = :uuid", { uuid }) !== undefined;

test("a search that ends immediately is inserted as done, with one numbered change", async () => {
  const { submitted, lease } = await run();
  await jobs.clock.advance(3);
  expect(isOnDisk(lease.uuid)).toBe(false);
  await jobs.queue.complete(lease.uuid, lease.token, result);
  const { uuid, job } = await submitted;
  const startedMs = jobs.clock.now() - 3;
  const times = { submittedMs: startedMs, startedMs, finishedMs: startedMs + 3 };
  expect(job).toMatchObject({ uuid, state: "done", attempts: 1, node: "local", result, ...times });
  expect(await jobs.queue.find("one", uuid)).toEqual(job);
  expect(
    jobs.table.database.get("SELECT last_change AS last FROM account WHERE id = 'one'"),
  ).toEqual({ last: 1 });
  expect(ended).toMatchObject([
    { uuid, state: "done", attempts: 1, node: "local", posts: 2, ms: 3 },
  ]);
});

test("a change reader sees only the end of a job that ended before it was committed", async () => {
  const disconnected = new AbortController();
  const changes = (await jobs.queue.changes("one", null, disconnected.signal))[
    Symbol.asyncIterator
  ]();
  const next = changes.next();
  const { submitted, lease } = await run();
  await jobs.queue.complete(lease.uuid, lease.token, result);
  const { uuid } = await submitted;
  expect((await next).value).toMatchObject({ id: 1, uuid, state: "done", attempts: 1 });
  disconnected.abort();
});

test("a search that takes too long is committed as received and continues", async () => {
  const { submitted, lease } = await run();
  await jobs.clock.advance(maxUncommittedMs - 1);
  expect(isOnDisk(lease.uuid)).toBe(false);
  await jobs.clock.advance(1);
  const { uuid, job } = await submitted;
  expect(job?.state).toBe("received");
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "in progress", attempts: 1 });
  await jobs.queue.complete(uuid, lease.token, result);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done", attempts: 1 });
});

test("an uncommitted job is committed and retried when its attempt fails", async () => {
  const { submitted, lease } = await run();
  await jobs.queue.fail(lease.uuid, lease.token, failure);
  const { uuid } = await submitted;
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "in progress", attempts: 1 });
  await jobs.clock.advance(1_000);
  expect(await jobs.lease()).toMatchObject({ uuid, attempt: 2 });
});

test("an uncommitted job is committed and leased again when its node leaves", async () => {
  const { submitted, lease } = await run();
  expect(await jobs.queue.endNodeLeases("local")).toBe(1);
  expect(lease.lostSignal.aborted).toBe(true);
  const { uuid } = await submitted;
  expect(await jobs.lease()).toMatchObject({ uuid, attempt: 1 });
});

test("`accepted` resolves when the job is on disk", async () => {
  const { submitted, lease } = await run();
  await lease.accepted?.();
  expect(isOnDisk(lease.uuid)).toBe(true);
  expect((await submitted).uuid).toBe(lease.uuid);
  await lease.accepted?.();
});

test("an uncommitted search of an account that was suspended is rejected, and its node loses the lease", async () => {
  for (const outcome of ["completes", "is accepted"]) {
    const { submitted, lease } = await run();
    jobs.table.database.run("UPDATE account SET suspended_ms = 1 WHERE id = 'one'");
    const submission =
      outcome === "completes"
        ? jobs.queue.complete(lease.uuid, lease.token, result)
        : lease.accepted?.();
    await expect(submission).rejects.toMatchObject({ code: "lease_lost" });
    await expect(submitted).rejects.toMatchObject({ code: "account_suspended" });
    expect(isOnDisk(lease.uuid)).toBe(false);
    jobs.table.database.run("UPDATE account SET suspended_ms = NULL WHERE id = 'one'");
  }
  expect(ended).toEqual([]);
});

test("ending all jobs of an account also stops its uncommitted jobs", async () => {
  const { submitted, lease } = await run();
  jobs.table.database.run("UPDATE account SET suspended_ms = 1 WHERE id = 'one'");
  await jobs.queue.endAll("one");
  expect(lease.lostSignal.aborted).toBe(true);
  await expect(submitted).rejects.toMatchObject({ code: "account_suspended" });
});

test("a job that ended in memory before it was committed is committed and queued again", async () => {
  const { submitted, lease } = await run();
  await jobs.queue.endAll("one");
  expect(lease.lostSignal.aborted).toBe(true);
  const { uuid } = await submitted;
  expect(jobs.queue.depth()).toBe(1);
  expect(await jobs.lease()).toMatchObject({ uuid, attempt: 1 });
});

test("of two uncommitted submissions with one idempotency key, the first to be committed counts", async () => {
  const idempotency = { key: "k", requestHash: new Uint8Array(32) };
  const first = await run({ ...newJob(), idempotency });
  const second = await run({ ...newJob(), idempotency });
  await jobs.queue.complete(second.lease.uuid, second.lease.token, result);
  const lateCompletion = jobs.queue.complete(first.lease.uuid, first.lease.token, result);
  await expect(lateCompletion).rejects.toMatchObject({ code: "lease_lost" });
  const { uuid } = await second.submitted;
  expect(await first.submitted).toMatchObject({ isRepeated: true, uuid, job: { state: "done" } });
  expect(ended.map((job) => job.uuid)).toEqual([uuid]);
});

test("a wall-clock step during an uncommitted search does not change the remaining time", async () => {
  const { submitted, lease } = await run();
  jobs.clock.shiftWall(-3_600_000);
  await jobs.clock.advance(maxUncommittedMs);
  const { uuid } = await submitted;
  const row = await jobs.queue.find("one", uuid);
  const remainingMs = (row?.deadlineMs ?? 0) - jobs.clock.now();
  expect(remainingMs).toBeGreaterThan(119_000);
  expect(remainingMs).toBeLessThanOrEqual(120_000);
  await jobs.queue.complete(uuid, lease.token, result);
});

test("remote nodes get only committed jobs, and jobs of other methods are committed before they run", async () => {
  const leasing = jobs.queue.lease({ ...node, nodeId: "remote" }, 1_000);
  const { uuid } = await jobs.queue.submit(newJob());
  const lease = await leasing;
  expect(lease?.accepted).toBeUndefined();
  expect(isOnDisk(uuid)).toBe(true);

  const fetched = {
    ...newJob(),
    request: { ...request, method: "getbyid", target: null } as const,
  };
  const fetching = jobs.queue.lease(node, 1_000);
  await jobs.queue.submit(fetched);
  expect((await fetching)?.accepted).toBeUndefined();
});
