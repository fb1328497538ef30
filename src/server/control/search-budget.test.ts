import { beforeEach, expect, test } from "vitest";
import { createSearchBudget, type SearchBudget } from "./control-thread-search.ts";

let nowMs: number;
let cpuMs: number;
let budget: SearchBudget;

beforeEach(() => {
  nowMs = 1_000;
  cpuMs = 50;
  budget = createSearchBudget({ elapsed: () => nowMs, cpuMs: () => cpuMs });
});

function work(ms: number): void {
  nowMs += ms;
  cpuMs += ms;
}

test("a search ends after five milliseconds of CPU time", () => {
  const outcomes = budget.spend((isOver) =>
    [4, 0.9, 0.2].map((ms) => {
      work(ms);
      return isOver();
    }),
  );
  expect(outcomes).toEqual([false, false, true]);
});

test("time off the CPU does not count, but a search ends after 25 ms", () => {
  const outcomes = budget.spend((isOver) =>
    [20, 4, 1].map((ms) => {
      nowMs += ms;
      return isOver();
    }),
  );
  expect(outcomes).toEqual([false, false, true]);
});

test("the searches of a batch share its CPU time, and none starts once it is used up", () => {
  expect(budget.spend(() => work(2.9))).toBeUndefined();
  const isOver = budget.spend((over) => {
    work(2.1);
    return over();
  });
  expect(isOver).toBe(true);
  expect(budget.spend(() => true)).toBeNull();
  budget.beginBatch();
  expect(budget.spend(() => true)).toBe(true);
});

test("the faster recent searches were, the more a batch has, up to 12", () => {
  expect(budget.beginBatch()).toBe(1);
  for (let search = 0; search < 100; search += 1) {
    budget.beginBatch();
    budget.spend(() => work(0.5));
  }
  expect(budget.beginBatch()).toBe(5);
  for (let search = 0; search < 100; search += 1) {
    budget.beginBatch();
    budget.spend(() => work(0.01));
  }
  expect(budget.beginBatch()).toBe(12);
});
