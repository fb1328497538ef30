import fc from "fast-check";
import { expect, test } from "vitest";
import { createFairQueue } from "./fair-queue.ts";

type Item = { keyId: string; groupId: string; kind: string; name: string };

const item = (keyId: string, name: string, kind = "any", groupId = "one"): Item => ({
  keyId,
  groupId,
  kind,
  name,
});
const acceptAny = () => true;

function getQueue(names: readonly string[], maxLeasedPerKey: number) {
  const queue = createFairQueue<Item>(maxLeasedPerKey);
  for (const name of names) queue.add(item(name.slice(0, 1), name));
  return queue;
}

test("the fair queue is round-robin over keys, and FIFO within a key", () => {
  const queue = getQueue(["a1", "a2", "a3", "a4", "b1", "c1", "c2"], 10);
  const order = Array.from({ length: 8 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", "a4", undefined]);
});

test("the fair queue skips a key at its maximum until it releases an item", () => {
  const queue = getQueue(["a1", "a2", "a3", "b1"], 2);
  const order = Array.from({ length: 4 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["a1", "b1", "a2", undefined]);
  queue.release(item("a", ""));
  expect(queue.take(acceptAny)?.name).toBe("a3");
  queue.release(item("a", ""));
  queue.add(item("a", "a4"));
  expect(queue.take(acceptAny)?.name).toBe("a4");
  queue.add(item("a", "a5"));
  expect(queue.take(acceptAny)).toBeNull();
});

test("items that are not accepted keep their position, and so do their keys", () => {
  const queue = createFairQueue<Item>(10);
  for (const [name, kind] of [
    ["a1", "slow"],
    ["b1", "slow"],
    ["a2", "quick"],
    ["c1", "quick"],
  ] as const) {
    queue.add(item(name.slice(0, 1), name, kind));
  }
  expect(queue.take(({ kind }) => kind === "neither")).toBeNull();
  expect(queue.take(({ kind }) => kind === "quick")?.name).toBe("a2");
  const order = Array.from({ length: 4 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["b1", "c1", "a1", undefined]);
});

test("the fair queue takes a key's oldest item of any kind", () => {
  const queue = createFairQueue<Item>(10);
  queue.add(item("a", "a1", "slow"));
  queue.add(item("a", "a2", "quick"));
  queue.add(item("a", "a3", "slow"));
  const order = Array.from({ length: 3 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["a1", "a2", "a3"]);
});

test("requeued items come before the other items of their key", () => {
  const queue = getQueue(["a1", "a2", "a3"], 10);
  const first = queue.take(acceptAny);
  const second = queue.take(acceptAny);
  for (const taken of [second, first]) if (taken) queue.requeue(taken);
  const order = Array.from({ length: 3 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["a1", "a2", "a3"]);
});

test("10,000 items that are not accepted are not checked individually", () => {
  const queue = createFairQueue<Item>(2);
  for (let n = 0; n < 10_000; n += 1) {
    queue.add(item(`key ${n % 1_000}`, String(n), `kind ${n % 3}`));
  }
  let calls = 0;
  const acceptNone = () => {
    calls += 1;
    return false;
  };
  expect(queue.take(acceptNone)).toBeNull();
  expect(calls).toBe(3);
  expect(queue.take(({ kind }) => kind === "kind 2")?.name).toBe("2");
});

test("a removed item is not taken, and later items of its key are", () => {
  const queue = createFairQueue<Item>(1);
  const removedItem = item("a", "a1");
  queue.add(removedItem);
  queue.remove(removedItem);
  queue.remove(removedItem);
  expect(queue.take(acceptAny)).toBeNull();
  queue.add(item("a", "a2"));
  expect(queue.take(acceptAny)?.name).toBe("a2");
});

const groupItem = (groupId: string, keyId: string, name: string, kind = "any") =>
  item(keyId, name, kind, groupId);

test("the fair queue is round-robin over groups, then over a group's keys", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2", "b1", "b2", "c1"])
    queue.add(groupItem("many", name[0] ?? "", name));
  for (const name of ["d1", "d2", "d3"]) queue.add(groupItem("one key", "d", name));
  const order = Array.from({ length: 8 }, () => queue.take(acceptAny)?.name);
  expect(order).toEqual(["a1", "d1", "b1", "d2", "c1", "d3", "a2", "b2"]);
});

test("a group with nothing running comes before groups that have waited longer", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2", "a3"]) queue.add(groupItem("busy", "a", name));
  for (const name of ["b1", "b2"]) queue.add(groupItem("other", "b", name));
  const first = [queue.take(acceptAny), queue.take(acceptAny)];
  queue.add(groupItem("late", "c", "c1"));
  queue.add(groupItem("late", "c", "c2"));
  expect(queue.take(acceptAny)?.name).toBe("c1");
  expect(queue.take(acceptAny)?.name).toBe("a2");
  queue.add(groupItem("other", "b", "b3"));
  if (first[1]) queue.release(first[1]);
  expect(Array.from({ length: 3 }, () => queue.take(acceptAny)?.name)).toEqual(["b2", "c2", "a3"]);
});

test("reserved slots go only to groups with nothing running", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2"]) queue.add(groupItem("busy", "a", name, "slow"));
  const runningItem = queue.take(acceptAny, true);
  expect(runningItem?.name).toBe("a1");
  expect(queue.take(acceptAny, true)).toBeNull();
  queue.add(groupItem("new", "b", "b1", "quick"));
  queue.add(groupItem("new", "b", "b2", "slow"));
  expect(queue.take(({ kind }) => kind === "slow", true)?.name).toBe("b2");
  expect(queue.take(acceptAny, true)).toBeNull();
  if (runningItem) queue.release(runningItem);
  expect(queue.take(acceptAny, true)?.name).toBe("a2");
  expect(queue.take(acceptAny)?.name).toBe("b1");
});

type Step =
  | { do: "add"; key: string; kind: string }
  | { do: "take"; kinds: readonly string[]; idleOnly: boolean }
  | { do: "release" | "requeue" | "remove"; index: number };

const kind = fc.constantFrom("slow", "quick", "odd");
const index = fc.nat({ max: 20 });
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ do: fc.constant("add"), key: fc.constantFrom("a", "b", "c"), kind }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("take"),
      kinds: fc.subarray(["slow", "quick", "odd"]),
      idleOnly: fc.boolean(),
    }),
  },
  fc.record({ do: fc.constantFrom("release", "requeue", "remove"), index }),
);

const makeGroup = (keyId: string, kind: string): string =>
  `${keyId === "c" ? "two" : "one"} ${kind === "odd" ? "odd" : ""}`;

test("the fair queue takes the oldest accepted item of its key, from a group with nothing running if one is waiting", () => {
  const max = 2;
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const queue = createFairQueue<Item>(max);
      const waitingItems: Item[] = [];
      const leasedItems: Item[] = [];
      const isIdle = ({ groupId }: Item) => leasedItems.every((one) => one.groupId !== groupId);
      const leasedBy = (keyId: string) => leasedItems.filter((one) => one.keyId === keyId).length;
      for (const [number, one] of steps.entries()) {
        if (one.do === "add") {
          const added = item(one.key, String(number), one.kind, makeGroup(one.key, one.kind));
          waitingItems.push(added);
          queue.add(added);
        } else if (one.do === "take") {
          const takeableItems = waitingItems.filter(
            (w) => one.kinds.includes(w.kind) && leasedBy(w.keyId) < max,
          );
          const idleItems = takeableItems.filter(isIdle);
          const allowedItems = one.idleOnly || idleItems.length > 0 ? idleItems : takeableItems;
          const taken = queue.take((example) => one.kinds.includes(example.kind), one.idleOnly);
          expect(taken === null).toBe(allowedItems.length === 0);
          if (taken === null) continue;
          const { keyId, groupId } = taken;
          expect(taken).toBe(allowedItems.find((w) => w.keyId === keyId && w.groupId === groupId));
          waitingItems.splice(waitingItems.indexOf(taken), 1);
          leasedItems.push(taken);
        } else if (one.do === "remove") {
          const [removed] = waitingItems.splice(one.index, 1);
          if (removed !== undefined) queue.remove(removed);
        } else {
          const [released] = leasedItems.splice(one.index % Math.max(1, leasedItems.length), 1);
          if (released === undefined) continue;
          queue.release(released);
          if (one.do === "release") continue;
          waitingItems.unshift(released);
          queue.requeue(released);
        }
      }
      const hasRunnableItem = waitingItems.some(({ keyId }) => leasedBy(keyId) < max);
      expect(queue.isIdle()).toBe(!hasRunnableItem);
    }),
    { numRuns: 1_000 },
  );
});
