import { expect, test } from "vitest";
import type { SqliteDatabase } from "./open.ts";
import { memory, perStore } from "./operations.ts";
import type { Steps } from "./statements.ts";
import { createThreadStore, type StoreThread } from "./thread-store.ts";

const countOf = perStore(() => ({ calls: 0 }));
const operations = {
  // biome-ignore lint/correctness/useYield: it reads nothing.
  count: memory(function* (database, by: number): Steps<number> {
    const count = countOf(database);
    count.calls += by;
    return count.calls;
  }),
};

const noThread: Pick<StoreThread<typeof operations>, "call"> = {
  call: () => Promise.reject(new Error("a thread was called")),
};

test("the thread store runs memory operations on the calling thread, with one connection", async () => {
  let openedCount = 0;
  let closedCount = 0;
  const open = (): SqliteDatabase => {
    openedCount += 1;
    return { forOperations: {}, close: () => (closedCount += 1) } as unknown as SqliteDatabase;
  };
  const { store, close } = createThreadStore(noThread, noThread, operations, open);
  expect(await store.inMemory("count", 2)).toBe(2);
  expect(await store.inMemory("count", 3)).toBe(5);
  close();
  await expect(store.inMemory("count", 1)).rejects.toMatchObject({ code: "thread_closed" });
  expect([openedCount, closedCount]).toEqual([1, 1]);
});
