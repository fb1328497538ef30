import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import type { Job } from "../job.ts";
import { newJob, result, startTestQueue } from "../test-jobs.ts";
import { createEndedJobs } from "./ended-jobs.ts";

function makeJob(uuid: string, overrides: Partial<Job> = {}): Job {
  return {
    ...newJob(),
    uuid,
    state: "done",
    attempts: 1,
    submittedMs: 0,
    deadlineMs: 120_000,
    startedMs: 0,
    finishedMs: 0,
    expiresMs: 1e15,
    node: "node",
    result,
    failure: null,
    ...overrides,
  };
}

test("an ended job is cached for its account for a few seconds", async () => {
  const clock = createManualClock();
  const endedJobs = createEndedJobs(clock, () => 0, 60_000);
  endedJobs.add(makeJob("a"));
  expect(endedJobs.find("one", "a")?.uuid).toBe("a");
  expect(endedJobs.find("two", "a")).toBeNull();
  await clock.advance(10_000);
  expect(endedJobs.find("one", "a")).toBeNull();
});

test("a cached job is not found after its result or its retention has expired", () => {
  let nowMs = 0;
  const endedJobs = createEndedJobs(createManualClock(), () => nowMs, 5_000);
  endedJobs.add(makeJob("a", { expiresMs: 1_000 }));
  endedJobs.add(makeJob("b"));
  nowMs = 1_000;
  expect([endedJobs.find("one", "a"), endedJobs.find("one", "b")?.uuid]).toEqual([null, "b"]);
  nowMs = 5_000;
  expect(endedJobs.find("one", "b")).toBeNull();
});

test("the cache of ended jobs evicts the oldest jobs and does not accept large ones", () => {
  const endedJobs = createEndedJobs(createManualClock(), () => 0, 60_000);
  const items = Array.from(
    { length: 1_500 },
    (_, n) => ({ platform: "x", id: BigInt(n) }) as const,
  );
  for (let n = 0; n < 100; n += 1) {
    endedJobs.add(makeJob(`job ${n}`, { result: { ...result, items: [...items] } }));
  }
  expect(endedJobs.find("one", "job 0")).toBeNull();
  expect(endedJobs.find("one", "job 99")).not.toBeNull();
  endedJobs.add(makeJob("large", { result: { ...result, items: [...items, ...items] } }));
  expect(endedJobs.find("one", "large")).toBeNull();
});

test("changes to a cached job are visible immediately", async () => {
  const jobs = await startTestQueue();
  const { queue, table } = jobs;
  const uuid = await jobs.complete();
  const row = await queue.find("one", uuid);
  expect(row).toMatchObject({ state: "done", result });
  table.database.run("DELETE FROM job");
  expect(await queue.find("one", uuid)).toEqual(row);
  await queue.endAll("one");
  expect(await queue.find("one", uuid)).toBeNull();

  const cancelledUuid = await jobs.complete();
  expect(await queue.cancel("one", cancelledUuid)).toBe("forgotten");
  expect(await queue.find("one", cancelledUuid)).toBeNull();

  const shiftedUuid = await jobs.complete();
  table.database.run("DELETE FROM job");
  jobs.clock.shiftWall(3_600_000);
  expect(await queue.find("one", shiftedUuid)).toBeNull();
  await jobs.close();
});

test("a cached job equals its row", async () => {
  const jobs = await startTestQueue();
  const uuid = await jobs.complete();
  const cachedJob = await jobs.queue.find("one", uuid);
  await jobs.clock.advance(10_000);
  expect(await jobs.queue.find("one", uuid)).toEqual(cachedJob);
  await jobs.close();
});
