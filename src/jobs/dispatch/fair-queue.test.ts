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
const any = () => true;

function getQueue(names: readonly string[], maxLeasedPerKey: number) {
  const queue = createFairQueue<Item>(maxLeasedPerKey);
  for (const name of names) queue.add(item(name.slice(0, 1), name));
  return queue;
}

test("the fair queue is round-robin over keys, and FIFO within a key", () => {
  const queue = getQueue(["a1", "a2", "a3", "a4", "b1", "c1", "c2"], 10);
  const order = Array.from({ length: 8 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "b1", "c1", "a2", "c2", "a3", "a4", undefined]);
});

test("the fair queue skips a key at its maximum until it releases an item", () => {
  const queue = getQueue(["a1", "a2", "a3", "b1"], 2);
  const order = Array.from({ length: 4 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "b1", "a2", undefined]);
  queue.release(item("a", ""));
  expect(queue.take(any)?.name).toBe("a3");
  queue.release(item("a", ""));
  queue.add(item("a", "a4"));
  expect(queue.take(any)?.name).toBe("a4");
  queue.add(item("a", "a5"));
  expect(queue.take(any)).toBeNull();
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
  const order = Array.from({ length: 4 }, () => queue.take(any)?.name);
  expect(order).toEqual(["b1", "c1", "a1", undefined]);
});

test("the fair queue takes a key's oldest item of any kind", () => {
  const queue = createFairQueue<Item>(10);
  queue.add(item("a", "a1", "slow"));
  queue.add(item("a", "a2", "quick"));
  queue.add(item("a", "a3", "slow"));
  const order = Array.from({ length: 3 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "a2", "a3"]);
});

test("requeued items come before the other items of their key", () => {
  const queue = getQueue(["a1", "a2", "a3"], 10);
  const first = queue.take(any);
  const second = queue.take(any);
  for (const taken of [second, first]) if (taken) queue.requeue(taken);
  const order = Array.from({ length: 3 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "a2", "a3"]);
});

test("10,000 items that are not accepted are not checked individually", () => {
  const queue = createFairQueue<Item>(2);
  for (let n = 0; n < 10_000; n += 1) {
    queue.add(item(`key ${n % 1_000}`, String(n), `kind ${n % 3}`));
  }
  let calls = 0;
  const none = () => {
    calls += 1;
    return false;
  };
  expect(queue.take(none)).toBeNull();
  expect(calls).toBe(3);
  expect(queue.take(({ kind }) => kind === "kind 2")?.name).toBe("2");
});

test("a removed item is not taken, and later items of its key are", () => {
  const queue = createFairQueue<Item>(1);
  const removed = item("a", "a1");
  queue.add(removed);
  queue.remove(removed);
  queue.remove(removed);
  expect(queue.take(any)).toBeNull();
  queue.add(item("a", "a2"));
  expect(queue.take(any)?.name).toBe("a2");
});

const ofGroup = (groupId: string, keyId: string, name: string, kind = "any") =>
  item(keyId, name, kind, groupId);

test("the fair queue is round-robin over groups, then over a group's keys", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2", "b1", "b2", "c1"])
    queue.add(ofGroup("many", name[0] ?? "", name));
  for (const name of ["d1", "d2", "d3"]) queue.add(ofGroup("one key", "d", name));
  const order = Array.from({ length: 8 }, () => queue.take(any)?.name);
  expect(order).toEqual(["a1", "d1", "b1", "d2", "c1", "d3", "a2", "b2"]);
});

test("a group with nothing running comes before groups that have waited longer", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2", "a3"]) queue.add(ofGroup("busy", "a", name));
  for (const name of ["b1", "b2"]) queue.add(ofGroup("other", "b", name));
  const first = [queue.take(any), queue.take(any)];
  queue.add(ofGroup("late", "c", "c1"));
  queue.add(ofGroup("late", "c", "c2"));
  expect(queue.take(any)?.name).toBe("c1");
  expect(queue.take(any)?.name).toBe("a2");
  queue.add(ofGroup("other", "b", "b3"));
  if (first[1]) queue.release(first[1]);
  expect(Array.from({ length: 3 }, () => queue.take(any)?.name)).toEqual(["b2", "c2", "a3"]);
});

test("reserved slots go only to groups with nothing running", () => {
  const queue = createFairQueue<Item>(10);
  for (const name of ["a1", "a2"]) queue.add(ofGroup("busy", "a", name, "slow"));
  const running = queue.take(any, true);
  expect(running?.name).toBe("a1");
  expect(queue.take(any, true)).toBeNull();
  queue.add(ofGroup("new", "b", "b1", "quick"));
  queue.add(ofGroup("new", "b", "b2", "slow"));
  expect(queue.take(({ kind }) => kind === "slow", true)?.name).toBe("b2");
  expect(queue.take(any, true)).toBeNull();
  if (running) queue.release(running);
  expect(queue.take(any, true)?.name).toBe("a2");
  expect(queue.take(any)?.name).toBe("b1");
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
      const waiting: Item[] = [];
      const leased: Item[] = [];
      const isIdle = ({ groupId }: Item) => leased.every((one) => one.groupId !== groupId);
      const leasedBy = (keyId: string) => leased.filter((one) => one.keyId === keyId).length;
      for (const [number, one] of steps.entries()) {
        if (one.do === "add") {
          const added = item(one.key, String(number), one.kind, makeGroup(one.key, one.kind));
          waiting.push(added);
          queue.add(added);
        } else if (one.do === "take") {
          const open = waiting.filter((w) => one.kinds.includes(w.kind) && leasedBy(w.keyId) < max);
          const idle = open.filter(isIdle);
          const may = one.idleOnly || idle.length > 0 ? idle : open;
          const taken = queue.take((example) => one.kinds.includes(example.kind), one.idleOnly);
          expect(taken === null).toBe(may.length === 0);
          if (taken === null) continue;
          const { keyId, groupId } = taken;
          expect(taken).toBe(may.find((w) => w.keyId === keyId && w.groupId === groupId));
          waiting.splice(waiting.indexOf(taken), 1);
          leased.push(taken);
        } else if (one.do === "remove") {
          const [removed] = waiting.splice(one.index, 1);
          if (removed !== undefined) queue.remove(removed);
        } else {
          const [released] = leased.splice(one.index % Math.max(1, leased.length), 1);
          if (released === undefined) continue;
          queue.release(released);
          if (one.do === "release") continue;
          waiting.unshift(released);
          queue.requeue(released);
        }
      }
      const left = waiting.some(({ keyId }) => leasedBy(keyId) < max);
      expect(queue.isIdle()).toBe(!left);
    }),
    { numRuns: 1_000 },
  );
});
