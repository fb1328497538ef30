import { describe, expect, test } from "vitest";
import type { PlanNode } from "./plan.ts";
import { extractBounds } from "./window.ts";

const and = (...children: PlanNode[]): PlanNode => ({ kind: "and", children });
const or = (...children: PlanNode[]): PlanNode => ({ kind: "or", children });
const not = (child: PlanNode): PlanNode => ({ kind: "not", child });
const time = (fromMs: number | null, toMs: number | null): PlanNode => ({
  kind: "time",
  fromMs,
  toMs,
});
const ids = (low: bigint | null, high: bigint | null): PlanNode => ({ kind: "id", low, high });
const word: PlanNode = { kind: "terms", elements: [{ kind: "token", token: "word" }] };

const unbounded = { fromMs: null, toMs: null };
const split = (plan: PlanNode) => extractBounds(plan, unbounded);

describe("the ID range that contains all matches", () => {
  test.each<[string, PlanNode, bigint | null, bigint | null]>([
    ["of one bound is that bound", ids(5n, null), 5n, null],
    ["of both bounds in one node is those bounds", ids(5n, 9n), 5n, 9n],
    ["of several is the narrowest", and(ids(5n, null), ids(7n, null), ids(null, 9n)), 7n, 9n],
    ["of a negated lower bound ends below it", not(ids(5n, null)), null, 4n],
    ["of a negated upper bound begins above it", not(ids(null, 9n)), 10n, null],
    ["of bounds that exclude each other is empty", and(ids(9n, null), ids(null, 5n)), 9n, 5n],
    ["beyond 2^53 is exact", and(ids(2n ** 62n + 1n, null), word), 2n ** 62n + 1n, null],
  ])("the ID range that contains all matches %s", (_name, plan, lowId, highId) => {
    expect(split(plan)).toMatchObject({ lowId, highId, ...unbounded });
  });

  test.each([
    ["an alternative", or(ids(5n, null), word)],
    ["a negated conjunction", not(and(ids(5n, null), word))],
    ["a negated node with both bounds", not(ids(5n, 9n))],
  ])("the ID range is not narrowed by %s, which remains in the plan", (_name, plan) => {
    expect(split(plan)).toEqual({ conjuncts: [plan], lowId: null, highId: null, ...unbounded });
  });
});

test("times and IDs narrow the given window, and the other conjuncts remain", () => {
  const plan = and(word, time(10, null), not(time(20, null)), ids(5n, null), not(word));
  expect(extractBounds(plan, { fromMs: 5, toMs: 15 })).toEqual({
    conjuncts: [word, not(word)],
    fromMs: 10,
    toMs: 15,
    lowId: 5n,
    highId: null,
  });
  expect(split(word).conjuncts).toEqual([word]);
  expect(split(time(1, 2))).toMatchObject({ conjuncts: [], fromMs: 1, toMs: 2 });
  expect(split(not(time(1, 2))).conjuncts).toEqual([not(time(1, 2))]);
});
