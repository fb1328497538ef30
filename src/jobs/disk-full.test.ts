import { afterEach, beforeEach, expect, test } from "vitest";
import { EarshotError } from "../lib/errors.ts";
import { searchMethods } from "../platforms/methods.ts";
import { type Runner, startRunner } from "./runner.ts";
import { newJob, openJobTable, result, startTestQueue, type TestQueue } from "./test-jobs.ts";

const storageFull = () =>
  new EarshotError("storage_full", "the disk is full", { status: 503, retryable: true });
const archiveUnreadable = () =>
  new EarshotError("archive_unavailable", "disk I/O error", {
    status: 503,
    retryable: true,
    cause: Object.assign(new Error("disk I/O error"), { errcode: 10 }),
  });

let jobs: TestQueue;
let runner: Runner;
let logMessages: string[];
let disk: { isFull: boolean; isUnreadable: boolean; fillsAfter: string | null };

beforeEach(async () => {
  disk = { isFull: false, isUnreadable: false, fillsAfter: null };
  logMessages = [];
  const table = openJobTable();
  const { write } = table.store;
  const refusingWrite = (...args: Parameters<typeof write>) => {
    if (disk.isFull) return Promise.reject(storageFull());
    disk.isFull = args[0] === disk.fillsAfter;
    return write(...args);
  };
  table.store = { ...table.store, write: refusingWrite as typeof write };
  jobs = await startTestQueue({}, table, { onError: () => undefined });
  const { queue, clock } = jobs;
  runner = startRunner({
    gateway: queue,
    answer: async () => {
      if (disk.isUnreadable) throw archiveUnreadable();
      return result;
    },
    clock,
    nodeId: "embedded",
    methods: searchMethods,
    concurrency: 2,
    returnJob: (uuid, token) => queue.returnJob(uuid, token, 1_000),
    log: { warn: (_fields, message) => logMessages.push(message) },
  });
});

afterEach(async () => {
  disk.isFull = false;
  const stopped = runner.stop();
  await jobs.close();
  await stopped;
});

const find = (uuid: string) => jobs.queue.find("one", uuid);

test("a job that cannot be leased on a full disk runs within 2 s after space is freed, as its first attempt", async () => {
  disk.fillsAfter = "insertJob";
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.clock.advance(60_000);
  expect(await find(uuid)).toMatchObject({ state: "received" });
  disk.isFull = false;
  await jobs.clock.advance(2_000);
  expect(await find(uuid)).toMatchObject({ state: "done", attempts: 1 });
});

test("a result that cannot be written is submitted within 2 s after space is freed, by the same attempt", async () => {
  const started = Promise.withResolvers<void>();
  const finish = Promise.withResolvers<void>();
  await runner.stop();
  const { queue, clock } = jobs;
  let attempts = 0;
  runner = startRunner({
    gateway: queue,
    answer: async () => {
      attempts += 1;
      started.resolve();
      await finish.promise;
      return result;
    },
    clock,
    nodeId: "embedded",
    methods: searchMethods,
    concurrency: 1,
    log: { warn: (_fields, message) => logMessages.push(message) },
  });
  const { uuid } = await queue.submit(newJob());
  await started.promise;
  disk.isFull = true;
  finish.resolve();
  await clock.advance(300_000);
  expect(await find(uuid)).toMatchObject({ state: "in progress" });
  disk.isFull = false;
  await clock.advance(2_000);
  expect(await find(uuid)).toMatchObject({ state: "done", attempts: 1 });
  expect(attempts).toBe(1);
  expect(logMessages).toEqual(["failed to complete a job, retrying"]);
});

test("a job does not use up attempts while the archive cannot be read, and runs within 2 s after it can be read", async () => {
  disk.isUnreadable = true;
  const { uuid } = await jobs.queue.submit(newJob());
  await jobs.clock.advance(60_000);
  expect(await find(uuid)).toMatchObject({ state: "received", attempts: 0 });
  expect(logMessages).toEqual(["an attempt failed"]);
  disk.isUnreadable = false;
  await jobs.clock.advance(2_000);
  expect(await find(uuid)).toMatchObject({ state: "done", attempts: 1 });
});

test("time during which the store cannot be written does not count towards deadlines", async () => {
  await runner.stop();
  const { uuid } = await jobs.queue.submit(newJob());
  disk.isFull = true;
  await jobs.clock.advance(600_000);
  disk.isFull = false;
  await jobs.clock.advance(2_000);
  expect(await find(uuid)).toMatchObject({ state: "received" });
  await jobs.restart("kill");
  await jobs.clock.advance(100_000);
  expect(await find(uuid)).toMatchObject({ state: "received" });
  await jobs.clock.advance(20_000);
  expect(await find(uuid)).toMatchObject({ state: "error", failure: { code: "no_slot" } });
});
