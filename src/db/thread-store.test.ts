import { expect, test } from "vitest";
import type { Database } from "./open.ts";
import { memory, perStore } from "./operations.ts";
import { createThreadStore, type StoreThread } from "./thread-store.ts";

const countOf = perStore(() => ({ calls: 0 }));
const operations = {
  count: memory((database, by: number) => {
    const count = countOf(database);
    count.calls += by;
    return count.calls;
  }),
};

const noThread: Pick<StoreThread<typeof operations>, "call"> = {
  call: () => Promise.reject(new Error("a thread was called")),
};

test("runs memory operations on the calling thread, over one connection until the store is closed", async () => {
  let opened = 0;
  let closed = 0;
  const open = (): Database => {
    opened += 1;
    return { close: () => (closed += 1) } as unknown as Database;
  };
  const { store, close } = createThreadStore(noThread, noThread, operations, open);
  expect(await store.inMemory("count", 2)).toBe(2);
  expect(await store.inMemory("count", 3)).toBe(5);
  close();
  await expect(store.inMemory("count", 1)).rejects.toMatchObject({ code: "thread_closed" });
  expect([opened, closed]).toEqual([1, 1]);
});
