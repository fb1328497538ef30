import { afterEach, beforeEach, expect, test } from "vitest";
import { failure, newJob, result, startTestQueue, type TestQueue } from "../test-jobs.ts";

let jobs: TestQueue;

beforeEach(async () => {
  jobs = await startTestQueue();
  for (const [id, account] of [
    ["own", "one"],
    ["foreign", "two"],
  ]) {
    jobs.table.database.run(
      `INSERT INTO webhook(id, account_id, url, events, sealed_secret, created_ms)
       VALUES(:id, :account, 'https://example.com', :events, x'00', 0)`,
      {
        id: id ?? "",
        account: account ?? "",
        events: '["job.done","job.error","job.cancelled"]',
      },
    );
  }
});

afterEach(async () => {
  await jobs.close();
});

type Delivery = { webhook: string; event: string; payload: string };

function deliveries(): [webhook: string, event: string, uuid: string][] {
  const rows = jobs.table.database.all<Delivery>(
    "SELECT webhook_id AS webhook, event, payload FROM webhook_delivery ORDER BY number",
  );
  return rows.map(({ webhook, event, payload }) => [
    webhook,
    event,
    /"uuid":"([^"]+)"/.exec(payload)?.[1] ?? "",
  ]);
}

test("each end of a job, and nothing else, is delivered once to the account's webhooks", async () => {
  const done = await jobs.complete();
  const failed = await jobs.queue.submit(newJob());
  const lease = await jobs.lease();
  await jobs.queue.fail(failed.uuid, lease.token, { ...failure, retryable: false });
  const cancelled = await jobs.queue.submit(newJob());
  await jobs.lease();
  await jobs.queue.cancel("one", cancelled.uuid);
  const expected = [
    ["own", "job.done", done],
    ["own", "job.error", failed.uuid],
    ["own", "job.cancelled", cancelled.uuid],
  ];
  expect(deliveries()).toEqual(expected);

  const late = await jobs.queue.submit(newJob());
  await jobs.clock.advance(121_000);
  expected.push(["own", "job.error", late.uuid]);
  expect(deliveries()).toEqual(expected);

  const lost = await jobs.queue.submit(newJob());
  for (let attempt = 1; attempt <= 3; attempt += 1) {
    await jobs.lease();
    expect(deliveries()).toEqual(expected);
    await jobs.clock.advance(32_000);
  }
  expected.push(["own", "job.error", lost.uuid]);
  expect(deliveries()).toEqual(expected);

  await jobs.queue.cancel("one", done);
  await jobs.restart("kill");
  expect(deliveries()).toEqual(expected);
});

test("an end that the store rejects is not delivered", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const { token } = await jobs.lease();
  await jobs.queue.cancel("one", uuid);
  await expect(jobs.queue.complete(uuid, token, result)).rejects.toThrow(/has ended/);
  expect(deliveries()).toEqual([["own", "job.cancelled", uuid]]);
});
