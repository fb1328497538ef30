import { expect, test } from "vitest";
import type { Job, JobState } from "../../jobs/job.ts";
import { request } from "../../jobs/test-jobs.ts";
import { streamAccountEvents, streamJobEvents } from "./job-events.ts";

const uuid = "0f8fad5b-d9cb-469f-a165-70867728950e";

const job: Job = {
  uuid,
  accountId: "one",
  keyId: "key",
  state: "received",
  request,
  canonicalQuery: "comet",
  attempts: 0,
  submittedMs: 0,
  deadlineMs: 1,
  startedMs: null,
  finishedMs: null,
  expiresMs: null,
  node: null,
  result: null,
  failure: null,
  warnings: [],
};

const change = (id: number, state: JobState, attempts: number, jobUuid = uuid) => ({
  id,
  uuid: jobUuid,
  state,
  attempts,
  atMs: id * 1_000,
});

const jobsWith = (found: Job | null) => ({ find: async () => found });

async function* iterate<Item>(...items: Item[]): AsyncGenerator<Item> {
  yield* items;
}

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const collectedItems: Item[] = [];
  for await (const item of items) collectedItems.push(item);
  return collectedItems;
}

test("each change to an account's jobs is an event whose ID is the number of the change", async () => {
  const changes = iterate(change(1, "received", 0), change(2, "in progress", 1));
  expect(await collect(streamAccountEvents(changes))).toEqual([
    {
      id: 1,
      event: "job",
      data: { uuid, status: "received", attempts: 0, at: "1970-01-01T00:00:01.000Z" },
    },
    {
      id: 2,
      event: "job",
      data: { uuid, status: "in progress", attempts: 1, at: "1970-01-01T00:00:02.000Z" },
    },
  ]);
});

test("a job's events are its current state, without an ID, and then its changes until it ends", async () => {
  const changes = iterate(
    change(1, "received", 0),
    change(2, "in progress", 1),
    change(3, "done", 1, "another"),
    change(4, "error(retrying)", 1),
    change(5, "in progress", 2),
    change(6, "done", 2),
    change(7, "expired", 2),
  );
  const events = await collect(streamJobEvents(jobsWith(job), changes, "one", uuid));
  expect(events.map(({ id, data }) => [id, Reflect.get(Object(data), "status")])).toEqual([
    [null, "received"],
    [2, "in progress"],
    [4, "error(retrying)"],
    [5, "in progress"],
    [6, "done"],
  ]);
});

test("an ended job yields only one event", async () => {
  const doneJob: Job = { ...job, state: "done", attempts: 1, startedMs: 1_000, finishedMs: 2_000 };
  const changes = iterate(change(9, "done", 1));
  const events = await collect(streamJobEvents(jobsWith(doneJob), changes, "one", uuid));
  expect(events).toEqual([
    {
      id: null,
      event: "job",
      data: { uuid, status: "done", attempts: 1, at: "1970-01-01T00:00:02.000Z" },
    },
  ]);
});

test("job changes from before the current state are not repeated", async () => {
  const runningJob: Job = { ...job, state: "in progress", attempts: 2, startedMs: 1_000 };
  const changes = iterate(
    change(3, "error(retrying)", 1),
    change(4, "in progress", 2),
    change(5, "cancelled", 2),
  );
  const events = await collect(streamJobEvents(jobsWith(runningJob), changes, "one", uuid));
  expect(events.map(({ id }) => id)).toEqual([null, 5]);
});

test("the events of a job end if changes cannot be read", async () => {
  const changes = {
    [Symbol.asyncIterator]: () => ({ next: () => Promise.reject(new Error("gone")) }),
  };
  expect(await collect(streamJobEvents(jobsWith(job), changes, "one", uuid))).toHaveLength(1);
});
