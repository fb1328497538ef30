import { createHash } from "node:crypto";
import { afterEach, beforeEach, expect, test } from "vitest";
import { newJob, startTestQueue, type TestQueue } from "../test-jobs.ts";
import type { Idempotency, NewJob } from "./submission.ts";

let jobs: TestQueue;

beforeEach(async () => {
  jobs = await startTestQueue();
});

afterEach(async () => {
  await jobs.close();
});

function makeIdempotency(key: string, body: string): Idempotency {
  return { key, requestHash: createHash("sha256").update(body).digest() };
}

function submission(idempotency: Idempotency, accountId = "one"): NewJob {
  return { ...newJob("key", accountId), idempotency };
}

const first = makeIdempotency("k1", "comet");
const mismatch = { code: "idempotency_mismatch", status: 422 };

test("a request repeated with its idempotency key returns the same job and runs nothing", async () => {
  const { uuid } = await jobs.queue.submit(submission(first));
  const repeatedJob = await jobs.queue.submit(submission(first));
  expect(repeatedJob).toMatchObject({ isRepeated: true, uuid, job: { uuid, state: "received" } });
  expect((await jobs.lease()).uuid).toBe(uuid);
  expect(await jobs.queue.lease({ nodeId: "node", methods: ["searchbyquery"] }, 0)).toBeNull();
  expect(jobs.queue.depth()).toBe(0);
});

test("two submissions with one idempotency key in one tick create one job", async () => {
  const answers = await Promise.all([
    jobs.queue.submit(submission(first)),
    jobs.queue.submit(submission(first)),
  ]);
  expect(answers.map(({ isRepeated }) => isRepeated)).toEqual([false, true]);
  expect(new Set(answers.map(({ uuid }) => uuid)).size).toBe(1);
  expect(jobs.queue.depth()).toBe(1);
});

test("another request with a used idempotency key is rejected and runs nothing", async () => {
  await jobs.queue.submit(submission(first));
  const other = makeIdempotency("k1", "meteor");
  await expect(jobs.queue.submit(submission(other))).rejects.toMatchObject(mismatch);
  await expect(jobs.queue.findEarlier("one", other)).rejects.toMatchObject(mismatch);
  expect(jobs.queue.depth()).toBe(1);
});

test("an idempotency key belongs to its account", async () => {
  const { uuid } = await jobs.queue.submit(submission(first));
  expect(await jobs.queue.findEarlier("two", makeIdempotency("k1", "meteor"))).toBeNull();
  const other = await jobs.queue.submit(submission(makeIdempotency("k1", "meteor"), "two"));
  expect(other).toMatchObject({ isRepeated: false });
  expect(other.uuid).not.toBe(uuid);
});

test("an earlier submission with the same idempotency key can be found without submitting", async () => {
  expect(await jobs.queue.findEarlier("one", first)).toBeNull();
  const { uuid } = await jobs.queue.submit(submission(first));
  expect(await jobs.queue.findEarlier("one", first)).toMatchObject({ uuid, job: { uuid } });
});

test("an idempotency key still returns its job after the process was killed", async () => {
  const { uuid } = await jobs.queue.submit(submission(first));
  await jobs.restart("kill");
  expect(await jobs.queue.submit(submission(first))).toMatchObject({ isRepeated: true, uuid });
});

test("an idempotency key returns the uuid of its job even after the client deleted the job", async () => {
  const { uuid } = await jobs.queue.submit(submission(first));
  await jobs.queue.cancel("one", uuid);
  await jobs.queue.cancel("one", uuid);
  expect(await jobs.queue.findEarlier("one", first)).toEqual({ uuid, job: null });
  expect(await jobs.queue.submit(submission(first))).toEqual({ isRepeated: true, uuid, job: null });
});

test("an idempotency key expires after exactly one day", async () => {
  const { uuid } = await jobs.queue.submit(submission(first));
  const other = submission(makeIdempotency("k1", "meteor"));
  jobs.clock.shiftWall(86_400_000 - 1);
  expect(await jobs.queue.findEarlier("one", first)).toMatchObject({ uuid });
  jobs.clock.shiftWall(1);
  expect(await jobs.queue.findEarlier("one", first)).toBeNull();
  expect(await jobs.queue.submit(other)).toMatchObject({ isRepeated: false });
  jobs.clock.shiftWall(86_400_000);
  await jobs.clock.advance(60_000);
  expect(jobs.table.database.all("SELECT key FROM idempotency")).toEqual([]);
});

test("a rejected submission does not use up its idempotency key", async () => {
  await expect(jobs.queue.submit(submission(first, "nobody"))).rejects.toThrow(
    /the account has been deleted/,
  );
  expect(await jobs.queue.findEarlier("nobody", first)).toBeNull();
});
