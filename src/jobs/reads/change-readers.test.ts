import { expect, test } from "vitest";
import type { Store } from "../../db/operations.ts";
import type { JobChange } from "../job.ts";
import type { JobOperations } from "../operations.ts";
import { createChangeReaders } from "./change-readers.ts";

const change = (id: number, uuid = `job-${id}`): JobChange => ({
  id,
  uuid,
  state: "received",
  attempts: 0,
  atMs: 0,
});

function makeStore(changes: JobChange[]) {
  const reads = { lastChange: 0, changesAfter: 0 };
  const read = async (name: keyof typeof reads, args: { after: number; limit: number }) => {
    reads[name] += 1;
    if (name === "lastChange") return changes.at(-1)?.id ?? 0;
    return changes.filter(({ id }) => id > args.after).slice(0, args.limit);
  };
  return { reads, store: { read } as unknown as Store<JobOperations> };
}

async function take(changes: AsyncIterator<JobChange>, count: number): Promise<number[]> {
  const ids: number[] = [];
  while (ids.length < count) ids.push((await changes.next()).value.id);
  return ids;
}

async function open(readers: ReturnType<typeof createChangeReaders>, after: number | null) {
  const changes = await readers.read("one", after, new AbortController().signal);
  return changes[Symbol.asyncIterator]();
}

test("a change reader that keeps up reads the store only at its start", async () => {
  const { store, reads } = makeStore([]);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, null);
  for (let id = 1; id <= 1_000; id += 1) {
    readers.report("one", change(id));
    expect(await take(changes, 1)).toEqual([id]);
  }
  expect(reads).toEqual({ lastChange: 1, changesAfter: 0 });
});

test("changes that arrive out of order or not at all are read from the store", async () => {
  const storedChanges = [change(1)];
  const { store } = makeStore(storedChanges);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, 1);
  storedChanges.push(change(2), change(3));
  readers.report("one", change(3));
  readers.report("one", change(2));
  expect(await take(changes, 2)).toEqual([2, 3]);
  storedChanges.push(change(4), change(5), change(6));
  readers.report("one", change(6));
  expect(await take(changes, 3)).toEqual([4, 5, 6]);
});

test("a change that the client already has is not emitted if it is reported only now", async () => {
  const storedChanges = [change(1), change(2)];
  const { store } = makeStore(storedChanges);
  const readers = createChangeReaders(store, () => 0);
  const opening = open(readers, 2);
  readers.report("one", change(2));
  const changes = await opening;
  storedChanges.push(change(3));
  readers.report("one", change(3));
  expect(await take(changes, 1)).toEqual([3]);
});

test("a change reported during a store read is emitted once", async () => {
  const storedChanges = Array.from({ length: 600 }, (_, index) => change(index + 1));
  const { store, reads } = makeStore(storedChanges);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, 0);
  const first = take(changes, 1);
  storedChanges.push(change(601));
  readers.report("one", change(601));
  const ids = [...(await first), ...(await take(changes, 600))];
  expect(ids).toEqual(storedChanges.map(({ id }) => id));
  expect(reads.changesAfter).toBe(3);
  readers.report("one", change(602));
  expect(await take(changes, 1)).toEqual([602]);
});

test("a change reader that does not read has a bounded buffer, and continues from the store", async () => {
  const storedChanges: JobChange[] = [];
  const { store, reads } = makeStore(storedChanges);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, null);
  for (let id = 1; id <= 10_000; id += 1) {
    storedChanges.push(change(id));
    readers.report("one", change(id));
  }
  expect(await take(changes, 10_000)).toEqual(storedChanges.map(({ id }) => id));
  expect(reads.changesAfter).toBeGreaterThanOrEqual(39);
});

test("a change reader whose last number exceeds that of a restored store gets the next changes", async () => {
  const { store } = makeStore([change(1), change(2)]);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, 9);
  const next = changes.next();
  await new Promise(setImmediate);
  readers.report("one", change(3));
  expect((await next).value).toMatchObject({ id: 3 });
});

test("a change after the call is not missed even if the store already contains it", async () => {
  const storedChanges = [change(1)];
  const { store } = makeStore(storedChanges);
  const readers = createChangeReaders(store, () => 0);
  const changes = await open(readers, null);
  storedChanges.push(change(2));
  readers.report("one", change(2));
  expect(await take(changes, 1)).toEqual([2]);
});

test("a failed store read fails the call", async () => {
  const error = new Error("the store is closed");
  const store = { read: () => Promise.reject(error) } as unknown as Store<JobOperations>;
  const readers = createChangeReaders(store, () => 0);
  await expect(open(readers, 0)).rejects.toBe(error);
});
