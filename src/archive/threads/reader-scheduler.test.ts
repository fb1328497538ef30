import { expect, test } from "vitest";
import type { ThreadCall } from "../../db/threads/messages.ts";
import { createReaderScheduler, type ReaderTask } from "./reader-scheduler.ts";

const sliceMs = 10;

type CallOptions = Partial<ReaderTask> & { slices?: number; sliceTakesMs?: number };

function schedule() {
  let nowMs = 0;
  const ran: string[] = [];
  const scheduler = createReaderScheduler({
    sliceMs,
    elapsed: () => nowMs,
    makeTask: ({ method, args }, slice) => {
      const { slices = 1, sliceTakesMs = sliceMs, ...task } = args as CallOptions;
      if (slices === 0) throw new Error("no such call");
      return {
        kind: "search",
        account: "",
        isCancelled: () => false,
        steps: (function* () {
          for (let done = 1; ; done++) {
            ran.push(method);
            nowMs += sliceTakesMs;
            if (done === slices) return `${method} ended`;
            if (slice.isOver()) yield;
          }
        })(),
        ...task,
      };
    },
  });
  let lastId = 0;
  const add = (method: string, options: CallOptions = {}): void => {
    lastId += 1;
    scheduler.add({ id: lastId, method, args: options } satisfies ThreadCall);
  };
  const runSlice = (addPending = (): void => {}) => scheduler.runSlice(addPending);
  const runAll = () => {
    const replies = [];
    while (!scheduler.isIdle()) replies.push(...runSlice());
    return replies;
  };
  return { add, runSlice, runAll, ran, laterBy: (ms: number) => (nowMs += ms), scheduler };
}

test("the reader scheduler runs a read before the next slice of a search", () => {
  const { add, runSlice, runAll, ran } = schedule();
  add("search", { slices: 3 });
  runSlice(() => add("read", { kind: "read" }));
  runAll();
  expect(ran).toEqual(["search", "read", "search", "search"]);
});

test("the reader scheduler gives the next slice to the account that recently used the least reader time", () => {
  const { add, runSlice, runAll, ran } = schedule();
  add("heavy", { account: "a", slices: 4 });
  add("heavy too", { account: "a", slices: 4 });
  runSlice();
  runSlice();
  add("light", { account: "b" });
  runSlice();
  expect(ran).toEqual(["heavy", "heavy", "light"]);
  runAll();
  expect(ran.slice(3)).toEqual(["heavy", "heavy", ...Array(4).fill("heavy too")]);
});

test("the reader scheduler gives two accounts that search continuously the same number of slices", () => {
  const { add, runSlice, ran } = schedule();
  add("a", { account: "a", slices: 100 });
  add("b", { account: "b", slices: 100 });
  for (let slice = 0; slice < 40; slice++) runSlice();
  expect(ran.filter((text) => text === "a")).toHaveLength(20);
});

test("the reader scheduler forgets reader time from long ago", () => {
  const { add, runAll, runSlice, ran, laterBy } = schedule();
  add("a", { account: "a", slices: 50 });
  runAll();
  laterBy(200_000);
  add("b", { account: "b", slices: 2 });
  runSlice(() => add("a", { account: "a" }));
  runSlice();
  expect(ran.slice(50)).toEqual(["b", "a"]);
});

test("the reader scheduler does not suspend a call while no other is pending", () => {
  const { add, runSlice, ran } = schedule();
  add("search", { slices: 100 });
  expect(runSlice()).toHaveLength(1);
  expect(ran).toHaveLength(100);
});

test("the reader scheduler does not begin a call that is already cancelled", () => {
  const { add, runAll, ran } = schedule();
  add("cancelled", { isCancelled: () => true });
  expect(runAll()).toMatchObject([{ id: 1, ok: false }]);
  expect(ran).toEqual([]);
});

test("the reader scheduler reports a failed call as failed, and continues with the others", () => {
  const { add, runAll } = schedule();
  const fail = (): never => {
    throw new Error("broken");
  };
  add("impossible", { slices: 0 });
  add("broken", {
    steps: (function* () {
      yield fail();
    })(),
  });
  add("search");
  const replies = runAll();
  expect(replies.map(({ id, ok }) => [id, ok])).toEqual([
    [1, false],
    [2, false],
    [3, true],
  ]);
});
