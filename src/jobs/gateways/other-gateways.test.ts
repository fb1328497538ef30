import { afterEach, beforeEach, expect, test } from "vitest";
import { EarshotError } from "../../lib/errors.ts";
import type { JobResult, SearchJobRequest } from "../job.ts";
import type { Lease } from "../leases/lease.ts";
import { jobDefaults } from "../settings.ts";
import {
  type JobTable,
  newJob,
  openJobTable,
  result,
  startTestQueue,
  type TestQueue,
} from "../test-jobs.ts";

const node = { nodeId: "one", methods: ["searchbyquery"] };
const gateway = { id: "here", isShared: true, isLeader: () => true };

type Write = JobTable["store"]["write"];

let jobs: TestQueue;
let onWrite: (name: string, write: () => Promise<unknown>) => Promise<unknown>;

beforeEach(async () => {
  onWrite = (_name, write) => write();
  const table = openJobTable();
  const { write } = table.store;
  const watchedWrite = ((name, args) => onWrite(name, () => write(name, args))) as Write;
  const store = { ...table.store, write: watchedWrite };
  jobs = await startTestQueue({}, { ...table, store }, { gateway, onError: () => undefined });
});
afterEach(() => jobs.close());

/** Commits the next write with this name, but loses its reply. */
function loseReplyOf(lostName: string): void {
  onWrite = async (name, write) => {
    if (name !== lostName) return await write();
    onWrite = (_name, next) => next();
    await write();
    throw new EarshotError("store_unavailable", "the database did not reply", { retryable: true });
  };
}

test.each([
  ["notified", (uuid: string) => jobs.queue.applyForeignChanges([makeSubmission(uuid)])],
  ["read", () => jobs.queue.reload()],
])("a leased job stays leased when its submission is %s again", async (_how, learn) => {
  const { uuid } = await jobs.queue.submit(newJob());
  const leaseAllowed = Promise.withResolvers<void>();
  const leaseReached = Promise.withResolvers<void>();
  onWrite = async (name, next) => {
    if (name === "leaseJob") {
      leaseReached.resolve();
      await leaseAllowed.promise;
    }
    return await next();
  };
  const leasing = jobs.queue.lease(node, 0);
  await leaseReached.promise;
  await learn(uuid);
  leaseAllowed.resolve();
  const lease: Lease<SearchJobRequest> | null = await leasing;
  expect(lease?.lostSignal.aborted).toBe(false);
  expect(await jobs.queue.lease(node, 0)).toBeNull();
  await jobs.queue.complete(uuid, lease?.token ?? "", result satisfies JobResult);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done", attempts: 1 });
});

test("a job is leased again if the reply to its lease was lost, and the first attempt does not count", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  loseReplyOf("leaseJob");
  await expect(jobs.queue.lease(node, 0)).rejects.toThrow("did not reply");
  expect(await jobs.queue.lease(node, 0)).toBeNull();
  const lease = await jobs.queue.lease(node, 1_000);
  await jobs.queue.complete(uuid, lease?.token ?? "", result);
  expect(await jobs.queue.find("one", uuid)).toMatchObject({ state: "done", attempts: 1 });
});

test("a job is leased again after the next sweep if the reply to its lease was lost and its recovery failed", async () => {
  await jobs.queue.submit(newJob());
  loseReplyOf("leaseJob");
  await expect(jobs.queue.lease(node, 0)).rejects.toThrow("did not reply");
  onWrite = async (name, write) => {
    if (name === "recoverOwn") throw new Error("the database is unavailable");
    return await write();
  };
  expect(await jobs.queue.lease(node, 0)).toBeNull();
  onWrite = (_name, write) => write();
  const leasing = jobs.queue.lease(node, 10_000);
  await jobs.clock.advance(1_000);
  expect(await leasing).toMatchObject({ attempt: 1 });
});

test("a client that waits for a job gets its result even if the reply to its completion was lost", async () => {
  const { uuid } = await jobs.queue.submit(newJob());
  const { token } = await jobs.lease();
  loseReplyOf("completeJob");
  await expect(jobs.queue.complete(uuid, token, result)).rejects.toThrow("did not reply");
  const pendingEnd = jobs.queue.waitForEnd("one", uuid, 600_000);
  await jobs.clock.advance(jobDefaults.leaseMs + 3_000);
  expect(await pendingEnd).toMatchObject({ state: "done" });
});

test("a job whose submission and lease were committed without a reply is leased again", async () => {
  loseReplyOf("insertJob");
  await expect(jobs.queue.submit(newJob())).rejects.toThrow("did not reply");
  const { uuid } = jobs.table.database.get<{ uuid: string }>("SELECT uuid FROM job") ?? {
    uuid: "",
  };
  const lease = { token: "lost", node: "one", gateway: gateway.id, nowMs: 0, untilMs: 1 };
  await jobs.table.store.write("leaseJob", { uuid, ...lease });
  await jobs.queue.reload();
  await jobs.queue.reload();
  expect(await jobs.queue.lease(node, 0)).toMatchObject({ uuid, attempt: 1 });
});

const makeSubmission = (uuid: string) => ({
  ...{ gateway: "there", uuid, accountId: "one", state: "received" as const, change: 1 },
  ...{ attempts: 0, changedMs: 0, notBeforeMs: 0 },
});
