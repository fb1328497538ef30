import { once } from "node:events";
import { Worker } from "node:worker_threads";
import { expect, test } from "vitest";
import type { IdCacheFindings, IdCacheTask } from "../../../testkit/archives/id-cache-worker.ts";
import { type ComputedIds, computedIds } from "../../../testkit/data/computed-ids.ts";
import { idsPerPage } from "./format.ts";
import { createIdCache, type Ids, useIdCache } from "./id-cache.ts";
import type { SharedIdCache } from "./shared-pages.ts";

function makeCache(pages: number): SharedIdCache {
  let bytes = pages * idsPerPage * 8;
  while (createIdCache(bytes).slots < pages + 1) bytes += 16;
  return createIdCache(bytes);
}

function readAll(ids: Ids, source: ComputedIds): void {
  for (let number = 0; number < source.posts; number++) {
    if (ids.at(number) !== source.idOf(number)) expect.fail(`ID of doc number ${number}`);
  }
}

function expectCorrectIds(ids: Ids, source: ComputedIds, pages = source.firstIds.keys()): void {
  for (const page of pages) {
    const number = page * idsPerPage + ((page * 31) % 100);
    const id = source.idOf(number);
    expect([
      ids.at(number),
      ids.firstNumberBelow(page, id),
      ids.firstNumberBelow(page, id + 1n),
    ]).toEqual([id, number + 1, number]);
  }
}

test.each([0, 1, 1_000, 4_200, 9_000, 80_000, 1_000_000, 80_000_000])(
  "the shared ID cache takes at most %i bytes, or its minimum of 16",
  (maxBytes) => {
    const { buffer, slots } = createIdCache(maxBytes);
    expect(buffer.byteLength).toBeLessThanOrEqual(Math.max(16, maxBytes));
    expect(slots).not.toBe(1);
    const idBytes = slots * idsPerPage * 8;
    expect(buffer.byteLength - idBytes).toBeLessThanOrEqual(16 + idBytes * 0.01);
    if (maxBytes > 10_000) expect(idBytes).toBeGreaterThan(0.98 * maxBytes - 2 * idsPerPage * 8);
  },
);

test("creating an ID cache that cannot be allocated fails with a hint", () => {
  expect(() => createIdCache(2 ** 50)).toThrow(
    expect.objectContaining({ code: "invalid_setting", hint: "reduce EARSHOT_MEMORY" }),
  );
});

test("a page of IDs that one thread has read is available to all", () => {
  const shared = makeCache(20);
  const [first, second] = [computedIds(1, 20 * idsPerPage), computedIds(1, 20 * idsPerPage)];
  readAll(useIdCache(shared).open(first), first);
  expect(first.pagesRead()).toBe(20);
  readAll(useIdCache(shared).open(second), second);
  expect(second.pagesRead()).toBe(0);
});

test("an evicted page of IDs is not read from its former slot", () => {
  const shared = makeCache(3);
  const [old, recent] = [computedIds(1, 5 * idsPerPage - 7), computedIds(2, 9 * idsPerPage + 100)];
  const [oldIds, recentIds] = [useIdCache(shared).open(old), useIdCache(shared).open(recent)];
  for (let round = 0; round < 3; round++) {
    expectCorrectIds(oldIds, old, [0, 1, 2].values());
    expectCorrectIds(recentIds, recent);
    expectCorrectIds(oldIds, old);
  }
});

test("a page of IDs that two threads read concurrently is stored once", () => {
  const shared = makeCache(8);
  const source = computedIds(1, 8 * idsPerPage);
  const other = useIdCache(shared, 0).open(source);
  const read = (page: number): BigInt64Array => {
    other.at(page * idsPerPage);
    return source.read(page);
  };
  const ids = useIdCache(shared, 0).open({ ...source, read });
  for (const page of source.firstIds.keys()) ids.at(page * idsPerPage);
  expect(source.pagesRead()).toBe(16);
  readAll(useIdCache(shared, 0).open(source), source);
  expect(source.pagesRead()).toBe(16);
});

function interrupted(concurrent: () => void, work: () => void): void {
  const load = Atomics.load;
  let isInside = false;
  const withInterruption = (array: Int32Array, index: number): number => {
    const value = load(array, index);
    if (!isInside) {
      isInside = true;
      concurrent();
      isInside = false;
    }
    return value;
  };
  Object.assign(Atomics, { load: withInterruption });
  try {
    work();
  } finally {
    Object.assign(Atomics, { load });
  }
}

test("reads return correct IDs when their page is evicted at any moment", () => {
  const shared = makeCache(2);
  const [source, evicting] = [computedIds(1, 3 * idsPerPage), computedIds(2, 40 * idsPerPage)];
  const [ids, others] = [useIdCache(shared, 0).open(source), useIdCache(shared, 0).open(evicting)];
  let turn = 0;
  const evictPages = (): void => {
    for (let count = 0; count < 8; count++) others.at((turn++ % 40) * idsPerPage);
  };
  for (const page of [0, 1, 2, 0, 1, 2]) {
    const number = page * idsPerPage + 77;
    const id = source.idOf(number);
    const reads: [() => unknown, unknown][] = [
      [() => ids.at(number), id],
      [() => ids.firstNumberBelow(page, id), number + 1],
      [() => ids.firstNumberBelow(page, id + 1n), number],
    ];
    for (const [read, expected] of reads) {
      expect(ids.at(number)).toBe(id);
      expect(ids.at(number)).toBe(id);
      interrupted(evictPages, () => expect(read()).toBe(expected));
    }
  }
  expect(turn).toBeGreaterThan(100);
});

test("the shared ID cache evicts pages of closed segments", () => {
  const shared = makeCache(8);
  const cache = useIdCache(shared, 0);
  const [removed, recent] = [computedIds(1, 8 * idsPerPage), computedIds(2, 8 * idsPerPage)];
  const removedIds = cache.open(removed);
  readAll(removedIds, removed);
  removedIds.close();
  const recentIds = cache.open(recent);
  readAll(recentIds, recent);
  readAll(recentIds, recent);
  expect([removed.pagesRead(), recent.pagesRead()]).toEqual([8, 8]);
});

test("the shared ID cache does not evict frequently read pages", () => {
  const cache = useIdCache(makeCache(10), 0);
  const [often, once] = [computedIds(1, 8 * idsPerPage), computedIds(2, 200 * idsPerPage)];
  const [oftenIds, onceIds] = [cache.open(often), cache.open(once)];
  for (const page of once.firstIds.keys()) {
    expectCorrectIds(oftenIds, often);
    expect(onceIds.at(page * idsPerPage)).toBe(once.firstIds[page]);
  }
  expect([often.pagesRead(), once.pagesRead()]).toEqual([8, 200]);
});

test("the shared ID cache distinguishes segments with the same name but different IDs", () => {
  const shared = makeCache(8);
  const [first, second] = [computedIds(1, 2_000), { ...computedIds(2, 2_000), name: "1" }];
  const cache = useIdCache(shared);
  readAll(cache.open(first), first);
  readAll(cache.open(second), second);
  readAll(useIdCache(shared).open(first), first);
});

test("a thread without a shared cache caches the most recently used ID pages of all segments", () => {
  const cache = useIdCache(createIdCache(0), 3);
  const [first, second] = [computedIds(1, 4 * idsPerPage), computedIds(2, 4 * idsPerPage)];
  const [oneIds, otherIds] = [cache.open(first), cache.open(second)];
  expectCorrectIds(oneIds, first, [0, 1].values());
  expectCorrectIds(otherIds, second, [0].values());
  expectCorrectIds(oneIds, first, [0].values());
  expect(first.pagesRead()).toBe(2);
  expectCorrectIds(otherIds, second, [1].values());
  expectCorrectIds(oneIds, first, [0].values());
  expect(first.pagesRead()).toBe(2);
  expectCorrectIds(oneIds, first, [1].values());
  expect(first.pagesRead()).toBe(3);
  oneIds.close();
  expectCorrectIds(otherIds, second, [2, 3, 1].values());
  expect(second.pagesRead()).toBe(4);
});

test("after a thread has died while holding the lock, others read cached pages, and otherwise continue without the cache", () => {
  const shared = makeCache(10);
  const source = computedIds(1, 8 * idsPerPage);
  const before = useIdCache(shared).open(source);
  expectCorrectIds(before, source, [0, 1, 2].values());
  new Int32Array(shared.buffer, 0, 1)[0] = 1;
  expectCorrectIds(before, source, [0, 1, 2].values());
  expect(source.pagesRead()).toBe(3);
  const after = useIdCache(shared).open(source);
  readAll(after, source);
  readAll(before, source);
  expect(source.pagesRead()).toBe(3 + 8 + 5);
});

const workerUrl = new URL("../../../testkit/archives/id-cache-worker.ts", import.meta.url);

const startWorker = (task: IdCacheTask) => new Worker(workerUrl, { workerData: task });

test("threads that read, add and evict pages of IDs concurrently all read correct IDs", async () => {
  const shared = makeCache(50);
  const endless = startWorker({ shared, seed: 99, rounds: null });
  const workers = [1, 2, 3].map((seed) => startWorker({ shared, seed, rounds: 2_000 }));
  const findings = Promise.all(
    workers.map(async (worker) => (await once(worker, "message"))[0] as IdCacheFindings),
  );
  await once(endless, "message");
  await endless.terminate();
  for (const { mismatches, pagesRead } of await findings) {
    expect(mismatches).toEqual([]);
    expect(pagesRead).toBeGreaterThan(100);
  }
});
