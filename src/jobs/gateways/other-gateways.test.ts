import { afterEach, beforeEach, expect, test } from "vitest";
import type { JobResult, SearchJobRequest } from "../job.ts";
import type { Lease } from "../leases/lease.ts";
import { newJob, openJobTable, result, startTestQueue, type TestQueue } from "../test-jobs.ts";

const node = { nodeId: "one", methods: ["searchbyquery"] };
const gateway = { id: "here", isShared: true, isLeader: () => true };

let jobs: TestQueue;
let isWriting: Promise<void>;
let write: () => void;

/** A lease that has not been written yet. */
beforeEach(async () => {
  const table = openJobTable();
  const { promise: released, resolve } = Promise.withResolvers<void>();
  const { promise, resolve: reached } = Promise.withResolvers<void>();
  [isWriting, write] = [promise, resolve];
  const slow: typeof table.store.write = async (name, args) => {
    if (name === "leaseJob") {
      reached();
      await released;
    }
    return await table.store.write(name, args);
  };
  jobs = await startTestQueue(
    {},
    { ...table, store: { ...table.store, write: slow } },
    { gateway },
  );
});
afterEach(() => jobs.close());

/** The change by which a gateway learnt of a job is delivered again, or read from the table. */
test.each([
  ["notified", (uuid: string) => jobs.queue.noteChanges([submissionOf(uuid)])],
  ["read", () => jobs.queue.reload()],
])("a job whose submission is %s again while it is leased stays leased", async (_how, learn) => {
  const { uuid } = await jobs.queue.submit(newJob());
  const leasing = jobs.queue.lease(node, 0);
  await isWriting;
  await learn(uuid);
  write();
  const lease: Lease<SearchJobRequest> | null = await leasing;
  expect(lease?.lost.aborted).toBe(false);
  expect(await jobs.queue.lease(node, 0)).toBeNull();
  await jobs.queue.complete(uuid, lease?.token ?? "", result satisfies JobResult);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done", attempts: 1 });
});

const submissionOf = (uuid: string) => ({
  ...{ gateway: "there", uuid, accountId: "one", state: "received" as const, change: 1 },
  ...{ attempts: 0, changedMs: 0, notBeforeMs: 0 },
});
