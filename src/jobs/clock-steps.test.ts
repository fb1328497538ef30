import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { failure, newJob, result, startTestQueue, type TestQueue, testNode } from "./test-jobs.ts";

let jobs: TestQueue;

beforeEach(async () => {
  jobs = await startTestQueue();
});

afterEach(async () => {
  await jobs.close();
});

const hourMs = 3_600_000;
const getState = async (uuid: string) => (await jobs.queue.find("one", uuid))?.state;

describe.each([
  ["forward", hourMs],
  ["backward", -hourMs],
])("the wall clock is set %s by an hour", (_, stepMs) => {
  test("a waiting job still times out after two minutes if the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    await jobs.clock.advance(10_000);
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(109_000);
    expect(await getState(uuid)).toBe("received");
    await jobs.clock.advance(2_000);
    expect(await getState(uuid)).toBe("error");
  });

  test("a lease does not expire early if the wall clock is changed by an hour, and its result is accepted", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    const lease = await jobs.lease();
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(29_000);
    expect(lease.lostSignal.aborted).toBe(false);
    expect(await jobs.queue.renew(uuid, lease.token)).toBe(30_000);
    await jobs.clock.advance(29_000);
    await jobs.queue.complete(uuid, lease.token, result);
    expect(await getState(uuid)).toBe("done");
  });

  test("a running job of a lost node is retried in time if the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    await jobs.lease();
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(32_000);
    const nextLease = await jobs.lease();
    expect(nextLease).toMatchObject({ uuid, attempt: 2 });
    expect(nextLease.remainingMs).toBe(88_000);
  });

  test("a job's next attempt begins on time if the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    const { token } = await jobs.lease();
    await jobs.queue.fail(uuid, token, failure);
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(249);
    expect(await jobs.queue.lease(testNode, 0)).toBeNull();
    await jobs.clock.advance(1);
    expect(await jobs.lease()).toMatchObject({ uuid, attempt: 2 });
  });

  test("a failure near the deadline is not retried after it if the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    await jobs.clock.advance(119_900);
    const { token } = await jobs.lease();
    jobs.clock.shiftWall(stepMs);
    await jobs.queue.fail(uuid, token, failure);
    expect(await getState(uuid)).toBe("error");
  });

  test("jobs keep their remaining time if the server is killed just after the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    await jobs.clock.advance(20_000);
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(1_000);
    await jobs.restart("kill");
    expect((await jobs.lease()).remainingMs).toBe(99_000);
    expect(await getState(uuid)).toBe("in progress");
  });

  test("a job submitted after the wall clock is changed has its full two minutes if the server is killed in the same second", async () => {
    const earlierJob = await jobs.queue.submit(newJob("old"));
    await jobs.clock.advance(20_000);
    jobs.clock.shiftWall(stepMs);
    const { uuid } = await jobs.queue.submit(newJob("new"));
    await jobs.restart("kill");
    const leases = [await jobs.lease(), await jobs.lease()];
    expect(leases.map((lease) => [lease.uuid, lease.remainingMs])).toEqual([
      [earlierJob.uuid, 100_000],
      [uuid, 120_000],
    ]);
  });

  test("jobs keep their remaining time, and retries are on time, if the wall clock is changed while no server is running", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    const { token } = await jobs.lease();
    await jobs.clock.advance(1_000);
    await jobs.queue.fail(uuid, token, failure);
    await jobs.queue.stop();
    jobs.clock.shiftWall(stepMs);
    await jobs.restart("kill");
    await jobs.clock.advance(250);
    const lease = await jobs.lease();
    expect(lease.attempt).toBe(2);
    expect(lease.remainingMs).toBe(118_750);
  });

  test("pending calls and lease requests wait neither longer nor shorter if the wall clock is changed by an hour", async () => {
    const { uuid } = await jobs.queue.submit(newJob());
    const pending = jobs.queue.waitForEnd("one", uuid, 10_000);
    const idle = jobs.queue.lease({ nodeId: "idle", methods: [] }, 10_000);
    let endedCount = 0;
    for (const wait of [pending, idle]) {
      wait.then(() => {
        endedCount += 1;
      });
    }
    jobs.clock.shiftWall(stepMs);
    await jobs.clock.advance(9_999);
    expect(endedCount).toBe(0);
    await jobs.clock.advance(1);
    expect(endedCount).toBe(2);
  });
});

test("jobs continue with their remaining time after the process was suspended for an hour", async () => {
  const runningJob = await jobs.queue.submit(newJob());
  const waitingJob = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  await jobs.clock.advance(20_500);
  await jobs.clock.suspend(hourMs);
  expect(lease.lostSignal.aborted).toBe(false);
  await jobs.clock.advance(8_000);
  await jobs.queue.complete(runningJob.uuid, lease.token, result);
  await jobs.clock.advance(89_000);
  expect(await getState(waitingJob.uuid)).toBe("received");
  await jobs.restart("kill");
  await jobs.clock.advance(500);
  expect(await getState(waitingJob.uuid)).toBe("received");
  await jobs.clock.advance(4_000);
  expect(await getState(waitingJob.uuid)).toBe("error");
});

describe("webhook deliveries when the wall clock is changed by an hour", () => {
  const due = () =>
    jobs.table.database.get<{ webhookMs: number; deliveryMs: number }>(
      "SELECT due_ms AS webhookMs, next_ms AS deliveryMs FROM webhook, webhook_delivery",
    );

  async function endJobForWebhook(): Promise<number> {
    jobs.table.database.run(
      `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
       VALUES('hook', 'one', 'https://example.com', '["job.done"]', x'00', 0)`,
    );
    await jobs.complete();
    return jobs.clock.now();
  }

  test("the delay of webhook deliveries stays the same if the clock is set back while a server is running", async () => {
    const dueMs = await endJobForWebhook();
    expect(due()).toEqual({ webhookMs: dueMs, deliveryMs: dueMs });
    jobs.clock.shiftWall(-hourMs);
    await jobs.clock.advance(1_000);
    expect(due()).toEqual({ webhookMs: dueMs - hourMs, deliveryMs: dueMs - hourMs });
  });

  test("the delay of webhook deliveries stays the same if the clock is set back while no server is running", async () => {
    const dueMs = await endJobForWebhook();
    await jobs.queue.stop();
    jobs.clock.shiftWall(-hourMs);
    await jobs.restart("kill");
    expect(due()).toEqual({ webhookMs: dueMs - hourMs, deliveryMs: dueMs - hourMs });
  });

  test("setting the clock forward makes waiting webhook deliveries due immediately", async () => {
    const dueMs = await endJobForWebhook();
    jobs.clock.shiftWall(hourMs);
    await jobs.clock.advance(1_000);
    expect(due()).toEqual({ webhookMs: dueMs, deliveryMs: dueMs });
  });
});

test("a clock drift of less than a second changes nothing on disk", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const previousDeadlineMs = (await jobs.queue.find("one", uuid))?.deadlineMs;
  jobs.clock.shiftWall(900);
  await jobs.clock.advance(2_000);
  expect((await jobs.queue.find("one", uuid))?.deadlineMs).toBe(previousDeadlineMs);
  jobs.clock.shiftWall(200);
  await jobs.clock.advance(2_000);
  expect((await jobs.queue.find("one", uuid))?.deadlineMs).toBe((previousDeadlineMs ?? 0) + 1_100);
});

test("results expire by the wall clock, so they last longer if it is set back", async () => {
  const uuid = await jobs.complete();
  jobs.clock.shiftWall(-hourMs);
  jobs.clock.shiftWall(86_400_000);
  expect(await getState(uuid)).toBe("done");
});
