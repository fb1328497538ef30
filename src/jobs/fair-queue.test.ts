import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

type Item = { keyId: string; name: string };

const item = (keyId: string, name: string): Item => ({ keyId, name });
const any = () => true;

function queueOf(names: readonly string[], maxHeldPerKey: number) {
  const queue = createFairQueue<Item>(maxHeldPerKey);
  for (const name of names) queue.add(item(name.slice(0, 1), name));
  return queue;
}

test("keys take turns, and within a key the oldest comes first", () => {
  const queue = queueOf(["a1", "a2", "a3", "a4", "b1", "c1", "c2"], 10);
  const order = Array.from({ length: 8 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", "a4", undefined]);
});

test("a key that holds its most is passed over until it releases one", () => {
  const queue = queueOf(["a1", "a2", "a3", "b1"], 2);
  const order = Array.from({ length: 4 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "b1", "a2", undefined]);
  queue.release("a");
  expect(queue.take(any)?.name).toBe("a3");
  queue.release("a");
  queue.add(item("a", "a4"));
  expect(queue.take(any)?.name).toBe("a4");
  queue.add(item("a", "a5"));
  expect(queue.take(any)).toBeNull();
});

test("what is not accepted keeps its place", () => {
  const queue = queueOf(["a1", "a2", "b1"], 10);
  expect(queue.take(({ name }) => name === "a2")?.name).toBe("a2");
  expect(queue.take(({ name }) => name === "b2")).toBeNull();
  expect([queue.take(any)?.name, queue.take(any)?.name].sort()).toEqual(["a1", "b1"]);
});

test("a removed item is not taken and its key goes on", () => {
  const queue = createFairQueue<Item>(1);
  const removed = item("a", "a1");
  queue.add(removed);
  queue.remove(removed);
  queue.remove(removed);
  expect(queue.take(any)).toBeNull();
  queue.add(item("a", "a2"));
  expect(queue.take(any)?.name).toBe("a2");
});
