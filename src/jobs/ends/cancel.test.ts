import { afterEach, beforeEach, expect, test } from "vitest";
import { failure, newJob, result, startTestQueue, type TestQueue, testNode } from "../test-jobs.ts";

let jobs: TestQueue;

beforeEach(async () => {
  jobs = await startTestQueue();
});

afterEach(async () => {
  await jobs.close();
});

const refusal = { code: "lease_lost" };

test("a waiting job that is cancelled never runs, and calls that wait for its end return", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const wait = jobs.queue.waitForEnd("one", uuid, 30_000);
  expect(await jobs.queue.cancel("one", uuid.toUpperCase())).toBe("cancelled");
  const cancelled = { state: "cancelled", finishedMs: jobs.clock.now(), result: null };
  expect(await wait).toMatchObject(cancelled);
  expect(await jobs.queue.find("one", uuid)).toEqual(await wait);
  expect(jobs.queue.depth()).toBe(0);
  expect(await jobs.queue.lease(testNode, 0)).toBeNull();
});

test("cancelling a running job ends its lease immediately, and no result is accepted", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  expect(lease.lostSignal.aborted).toBe(false);
  expect(await jobs.queue.cancel("one", uuid)).toBe("cancelled");
  expect(lease.lostSignal.aborted).toBe(true);
  const { complete, fail, renew } = jobs.queue;
  await expect(complete(uuid, lease.token, result)).rejects.toMatchObject(refusal);
  await expect(fail(uuid, lease.token, failure)).rejects.toMatchObject(refusal);
  await expect(renew(uuid, lease.token)).rejects.toMatchObject(refusal);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "cancelled", result: null });
});

test("cancelling a search frees its key's slot", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.queue.submit(newJob());
  const thirdJob = await jobs.queue.submit(newJob());
  await jobs.lease();
  await jobs.lease();
  const nextLease = jobs.queue.lease(testNode, 1_000);
  await jobs.queue.cancel("one", uuid);
  expect((await nextLease)?.uuid).toBe(thirdJob.uuid);
});

test("a job that is cancelled while it waits for a retry is not retried", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const { token } = await jobs.lease();
  await jobs.queue.fail(uuid, token, failure);
  expect(await jobs.queue.cancel("one", uuid)).toBe("cancelled");
  await jobs.clock.advance(5_000);
  expect(await jobs.queue.lease(testNode, 0)).toBeNull();
});

test("if a job is cancelled and completed in one tick, the first of the two counts", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const { token } = await jobs.lease();
  const outcomes = await Promise.allSettled([
    jobs.queue.cancel("one", uuid),
    jobs.queue.complete(uuid, token, result),
  ]);
  expect(outcomes).toMatchObject([{ value: "cancelled" }, { reason: refusal }]);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "cancelled" });

  const second = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  const laterOutcomes = await Promise.allSettled([
    jobs.queue.complete(second.uuid, lease.token, result),
    jobs.queue.cancel("one", second.uuid),
  ]);
  expect(laterOutcomes).toMatchObject([{ status: "fulfilled" }, { value: "forgotten" }]);
});

test("cancelling an ended job deletes it with its result", async () => {
  const uuid = await jobs.complete();
  expect(await jobs.queue.cancel("one", uuid)).toBe("forgotten");
  expect(await jobs.queue.find("one", uuid)).toBeNull();
  expect(await jobs.queue.cancel("one", uuid)).toBeNull();
  expect(jobs.table.database.all("SELECT 1 FROM job")).toEqual([]);
});

test("an account cannot cancel or delete another account's job", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  expect(await jobs.queue.cancel("two", uuid)).toBeNull();
  await jobs.lease();
  expect(await jobs.queue.cancel("two", uuid)).toBeNull();
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "in progress" });
});

test("a cancelled job stays cancelled after a restart", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.lease();
  await jobs.queue.cancel("one", uuid);
  await jobs.restart("kill");
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "cancelled" });
  expect(await jobs.queue.lease(testNode, 0)).toBeNull();
  await jobs.clock.advance(200_000);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "cancelled" });
});

test("a node loses a job's lease when the lease expires or the job's deadline passes", async () => {
  await jobs.queue.submit(newJob());
  const lapsedLease = await jobs.lease();
  await jobs.clock.advance(32_000);
  expect(lapsedLease.lostSignal.aborted).toBe(true);
  const lateLease = await jobs.lease();
  for (let seconds = 0; seconds < 80; seconds += 20) {
    await jobs.queue.renew(lateLease.uuid, lateLease.token);
    await jobs.clock.advance(20_000);
  }
  expect(lateLease.lostSignal.aborted).toBe(false);
  await jobs.queue.renew(lateLease.uuid, lateLease.token);
  await jobs.clock.advance(12_000);
  expect(lateLease.lostSignal.aborted).toBe(true);
});
