import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createManualClock, type ManualClock } from "../lib/manual-clock.ts";
import type { Job, SearchJobRequest } from "./job.ts";
import type { Lease } from "./leases/lease.ts";
import { createJobQueue, type JobQueue } from "./queue.ts";
import { type JobSettings, jobDefaults } from "./settings.ts";
import {
  failure,
  type JobTable,
  newJob,
  openJobTable,
  request,
  result,
  testNode,
} from "./test-jobs.ts";

let clock: ManualClock;
let table: JobTable;
let queue: JobQueue;
let errors: unknown[];

function openQueue(settings: Partial<JobSettings> = {}): JobQueue {
  return createJobQueue({
    store: table.store,
    clock,
    randomUuid: randomUUID,
    settings: { ...jobDefaults, ...settings },
    onError: (thrown) => errors.push(thrown),
  });
}

beforeEach(async () => {
  errors = [];
  clock = createManualClock();
  table = openJobTable();
  queue = openQueue();
  await queue.start();
});

afterEach(async () => {
  await queue.stop();
  table.remove();
  expect(errors).toEqual([]);
});

async function submit(job = newJob()): Promise<Job> {
  const { job: accepted } = await queue.submit(job);
  if (accepted === null) throw new Error("no job was accepted");
  return accepted;
}

async function leaseNow(): Promise<Lease<SearchJobRequest>> {
  const lease = await queue.lease(testNode, 0);
  if (lease === null) throw new Error("nothing could be leased");
  return lease;
}

const getState = async (uuid: string) => (await queue.find("one", uuid))?.state;

test("a submitted job is leased and completed, and its result has exact IDs", async () => {
  const acceptedJob = await submit();
  expect(acceptedJob).toMatchObject({ state: "received", attempts: 0, request });
  expect(await queue.find("one", acceptedJob.uuid)).toEqual(acceptedJob);
  const lease = await leaseNow();
  expect(lease).toMatchObject({ uuid: acceptedJob.uuid, work: request, attempt: 1 });
  expect(await getState(acceptedJob.uuid)).toBe("in progress");
  await clock.advance(40);
  await queue.complete(lease.uuid, lease.token, result);
  const done = await queue.find("one", acceptedJob.uuid);
  expect(done).toMatchObject({ state: "done", node: "node", attempts: 1, result });
  expect(done?.finishedMs).toBe(acceptedJob.submittedMs + 40);
});

test("a job's uuid is case-insensitive, and another account's job is not found", async () => {
  const { uuid } = await queue.submit(newJob());
  expect((await queue.find("one", uuid.toUpperCase()))?.uuid).toBe(uuid);
  expect(await queue.find("two", uuid)).toBeNull();
  expect(await queue.waitForEnd("two", uuid, 1_000)).toBeNull();
});

test("only one of two lease requests gets the only job", async () => {
  await queue.submit(newJob());
  const leases = await Promise.all([queue.lease(testNode, 0), queue.lease(testNode, 0)]);
  expect(leases.filter((lease) => lease !== null)).toHaveLength(1);
});

test("a waiting node gets a new job as soon as it is submitted", async () => {
  const pendingLease = queue.lease(testNode, 30_000);
  const { uuid } = await queue.submit(newJob());
  expect((await pendingLease)?.uuid).toBe(uuid);
});

test("a node gets only jobs with methods that it can run, and null on timeout", async () => {
  await queue.submit(newJob());
  const pendingLease = queue.lease({ nodeId: "other", methods: ["searchbyfullarchive"] }, 5_000);
  await clock.advance(5_000);
  expect(await pendingLease).toBeNull();
  expect(await queue.lease(testNode, 0)).not.toBeNull();
});

test("the result of a lost lease is rejected, and that of the next lease counts", async () => {
  const { uuid } = await queue.submit(newJob());
  const lostLease = await leaseNow();
  await clock.advance(32_000);
  const nextLease = await leaseNow();
  expect(nextLease).toMatchObject({ uuid, attempt: 2 });
  const refusal = { code: "lease_lost" };
  await expect(queue.complete(uuid, lostLease.token, result)).rejects.toMatchObject(refusal);
  await expect(queue.fail(uuid, lostLease.token, failure)).rejects.toMatchObject(refusal);
  await expect(queue.renew(uuid, lostLease.token)).rejects.toMatchObject(refusal);
  expect(await getState(uuid)).toBe("in progress");
  await queue.complete(uuid, nextLease.token, result);
  await expect(queue.complete(uuid, nextLease.token, result)).rejects.toMatchObject(refusal);
  expect(await getState(uuid)).toBe("done");
});

test("a job that loses its node in every attempt ends with an error", async () => {
  const { uuid } = await queue.submit(newJob());
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    expect((await leaseNow()).attempt).toBe(attempt);
    await clock.advance(32_000);
  }
  expect(await queue.find("one", uuid)).toMatchObject({
    state: "error",
    attempts: 3,
    failure: { code: "node_lost", status: 500 },
  });
});

test("a renewed lease does not expire", async () => {
  await queue.submit(newJob());
  const lease = await leaseNow();
  for (let seconds = 0; seconds < 60; seconds += 20) {
    await clock.advance(20_000);
    await queue.renew(lease.uuid, lease.token);
  }
  await queue.complete(lease.uuid, lease.token, result);
});

test("a failed job is retried soon, up to three attempts, and stays in progress between them", async () => {
  const { uuid } = await queue.submit(newJob());
  for (const delayMs of [250, 500]) {
    const lease = await leaseNow();
    await queue.fail(uuid, lease.token, failure);
    expect(await getState(uuid)).toBe("in progress");
    await clock.advance(delayMs - 1);
    expect(await queue.lease(testNode, 0)).toBeNull();
    await clock.advance(1);
  }
  const lastLease = await leaseNow();
  expect(lastLease.attempt).toBe(3);
  await queue.fail(uuid, lastLease.token, failure);
  expect(await queue.find("one", uuid)).toMatchObject({
    state: "error",
    attempts: 3,
    failure: { code: "broken", message: "it broke", status: 502 },
  });
});

test("a retry in the far future is shown as error(retrying)", async () => {
  await queue.stop();
  queue = openQueue({ retryDelayMs: 10_000 });
  await queue.start();
  const { uuid } = await queue.submit(newJob());
  const lease = await leaseNow();
  await queue.fail(uuid, lease.token, failure);
  expect(await getState(uuid)).toBe("error(retrying)");
  await clock.advance(7_000);
  expect(await getState(uuid)).toBe("in progress");
  await clock.advance(3_000);
  expect((await leaseNow()).attempt).toBe(2);
});

test("a job that kills two reader threads is not tried a third time", async () => {
  const { uuid } = await queue.submit(newJob());
  for (let death = 0; death < 2; death += 1) {
    const lease = await leaseNow();
    await queue.fail(uuid, lease.token, { ...failure, code: "thread_died" });
    await clock.advance(1_000);
  }
  expect(await queue.find("one", uuid)).toMatchObject({
    state: "error",
    failure: { code: "poison_job", status: 500 },
  });
});

test("a job that waits past its deadline ends with 504, and calls that wait for its end return", async () => {
  const { uuid } = await queue.submit(newJob());
  const wait = queue.waitForEnd("one", uuid, 200_000);
  await clock.advance(121_000);
  expect(await wait).toMatchObject({ state: "error", failure: { code: "no_slot", status: 504 } });
  expect(queue.depth()).toBe(0);
  expect(await queue.lease(testNode, 0)).toBeNull();
});

test("a result is accepted shortly after the deadline, but not later", async () => {
  const first = await queue.submit(newJob());
  const second = await queue.submit(newJob());
  const leases = [await leaseNow(), await leaseNow()] as const;
  for (let seconds = 0; seconds < 120; seconds += 20) {
    for (const lease of leases) await queue.renew(lease.uuid, lease.token);
    await clock.advance(20_000);
  }
  await clock.advance(1_000);
  await queue.complete(first.uuid, leases[0].token, result);
  expect(await getState(first.uuid)).toBe("done");
  await clock.advance(2_000);
  expect(await getState(second.uuid)).toBe("error");
  const lateCompletion = queue.complete(second.uuid, leases[1].token, result);
  await expect(lateCompletion).rejects.toMatchObject({ code: "lease_lost" });
  expect(await getState(second.uuid)).toBe("error");
});

test("waiting for a job ends when the job ends, on timeout, when the caller disconnects and when the server stops", async () => {
  const { uuid } = await queue.submit(newJob());
  const timedWait = queue.waitForEnd("one", uuid, 1_000);
  await clock.advance(1_000);
  expect(await timedWait).toMatchObject({ state: "received" });

  const disconnected = new AbortController();
  const callerWait = queue.waitForEnd("one", uuid, 30_000, disconnected.signal);
  disconnected.abort();
  expect(await callerWait).toMatchObject({ state: "received" });

  const endWait = queue.waitForEnd("one", uuid, 30_000);
  const lease = await leaseNow();
  await queue.complete(uuid, lease.token, result);
  expect(await endWait).toMatchObject({ state: "done", result });
  expect(await queue.waitForEnd("one", uuid, 30_000)).toMatchObject({ state: "done" });

  const other = await queue.submit(newJob());
  const stopWait = queue.waitForEnd("one", other.uuid, 30_000);
  const waitingNode = queue.lease({ nodeId: "idle", methods: [] }, 30_000);
  await queue.stop();
  expect(await stopWait).toMatchObject({ state: "received" });
  expect(await waitingNode).toBeNull();
});

test("a key at its running-job limit runs its next search when one is completed, and does not delay other keys", async () => {
  await queue.stop();
  queue = openQueue({ maxRunningPerKey: 2 });
  for (let index = 0; index < 4; index += 1) await queue.submit(newJob("busy"));
  const quietJob = await queue.submit(newJob("quiet"));
  const first = await leaseNow();
  expect((await leaseNow()).uuid).toBe(quietJob.uuid);
  await leaseNow();
  expect(await queue.lease(testNode, 0)).toBeNull();
  const completing = queue.complete(first.uuid, first.token, result);
  const next = queue.lease(testNode, 0);
  expect(await next).not.toBeNull();
  await completing;
});

test("submissions beyond the maximum number of waiting jobs are rejected", async () => {
  await queue.stop();
  queue = openQueue({ maxWaiting: 2 });
  const outcomes = await Promise.allSettled([1, 2, 3].map(() => queue.submit(newJob())));
  expect(outcomes.map(({ status }) => status)).toEqual(["fulfilled", "fulfilled", "rejected"]);
  expect(outcomes[2]).toMatchObject({ reason: { code: "overloaded", status: 503 } });
  expect(
    (
      await queue.list("one", {
        states: null,
        methods: null,
        platforms: null,
        text: null,
        before: null,
        limit: 10,
      })
    ).jobs,
  ).toHaveLength(2);
  await leaseNow();
  await queue.submit(newJob());
});

test("a job whose submission the store rejects does not run", async () => {
  await expect(queue.submit(newJob("key", "nobody"))).rejects.toThrow(
    /the account has been deleted/,
  );
  expect(queue.depth()).toBe(0);
  expect(await queue.lease(testNode, 0)).toBeNull();
});

test("every accepted job runs after a crash, and interrupted attempts do not count", async () => {
  const runningJob = await queue.submit(newJob());
  const waitingJob = await queue.submit(newJob());
  const endedJob = await queue.submit(newJob("another"));
  const lostLease = await leaseNow();
  const done = await leaseNow();
  expect([lostLease.uuid, done.uuid]).toEqual([runningJob.uuid, endedJob.uuid]);
  await queue.complete(done.uuid, done.token, result);

  await queue.stop();
  table = table.reopen();
  queue = openQueue();
  await queue.start();

  expect(await getState(runningJob.uuid)).toBe("received");
  expect(await getState(endedJob.uuid)).toBe("done");
  const newLeases = [await leaseNow(), await leaseNow()];
  expect(newLeases.map(({ uuid, attempt }) => [uuid, attempt])).toEqual([
    [runningJob.uuid, 1],
    [waitingJob.uuid, 1],
  ]);
  const lateCompletion = queue.complete(runningJob.uuid, lostLease.token, result);
  await expect(lateCompletion).rejects.toMatchObject({ code: "lease_lost" });
});

test("downtime is added to the deadline", async () => {
  const { uuid, deadlineMs } = await submit();
  await clock.advance(100_000);
  await queue.stop();
  await clock.advance(3_600_000);
  queue = openQueue();
  await queue.start();
  expect((await queue.find("one", uuid))?.deadlineMs).toBe(deadlineMs + 3_600_000);
  await clock.advance(15_000);
  expect(await getState(uuid)).toBe("received");
  await clock.advance(6_000);
  expect(await getState(uuid)).toBe("error");
});

test("a result expires exactly at its expiry time, and the job is deleted later", async () => {
  const { uuid } = await queue.submit(newJob());
  const lease = await leaseNow();
  await queue.complete(uuid, lease.token, result);
  clock.shiftWall(86_400_000 - 1);
  expect(await queue.find("one", uuid)).toMatchObject({ state: "done", result });
  clock.shiftWall(1);
  expect(await queue.find("one", uuid)).toMatchObject({ state: "expired", result: null });
  await clock.advance(60_000);
  expect(await table.store.read("findJob", { accountId: "one", uuid })).toMatchObject({
    state: "expired",
    result: null,
  });
  clock.shiftWall(6 * 86_400_000);
  await clock.advance(60_000);
  expect(await queue.find("one", uuid)).toBeNull();
});
