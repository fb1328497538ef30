import { describe, expect, test } from "vitest";
import type { PlanNode } from "../plan/plan.ts";
import { matches, type Subject } from "./matcher.ts";

const subject = (overrides: Partial<Subject> = {}): Subject => ({
  id: 20n,
  platform: "x",
  timeMs: 1_000,
  counts: { likes: null, reposts: 5, replies: null, quotes: null },
  geo: () => null,
  terms: () => ["a", "b", "|", "c"],
  ...overrides,
});

describe("an ID range", () => {
  test.each([
    [null, null, true],
    [20n, 20n, true],
    [20n, null, true],
    [21n, null, false],
    [null, 20n, true],
    [null, 19n, false],
    [21n, 19n, false],
  ])("20 is in the ID range %s to %s, both inclusive: %s", (low, high, expected) => {
    const plan: PlanNode = { kind: "id", low, high };
    expect(matches(plan, subject())).toBe(expected);
    expect(matches({ kind: "not", child: plan }, subject())).toBe(!expected);
  });

  test("an ID range distinguishes adjacent IDs beyond 2^53", () => {
    const id = 2n ** 62n + 1n;
    const upTo = (high: bigint): PlanNode => ({ kind: "id", low: null, high });
    expect(matches(upTo(id), subject({ id }))).toBe(true);
    expect(matches(upTo(id - 1n), subject({ id }))).toBe(false);
  });
});

test("a platform condition matches only posts of that platform", () => {
  const on = (platform: Subject["platform"]): PlanNode => ({ kind: "platform", platform });
  expect(matches(on("x"), subject())).toBe(true);
  expect(matches(on("bluesky"), subject())).toBe(false);
  expect(matches({ kind: "not", child: on("bluesky") }, subject())).toBe(true);
});

test("terms are not read when the plan does not need them", () => {
  const terms = (): never => {
    throw new Error("read");
  };
  const plan: PlanNode = {
    kind: "and",
    children: [
      { kind: "platform", platform: "x" },
      { kind: "id", low: 20n, high: null },
      { kind: "min-count", metric: "reposts", atLeast: 5 },
      { kind: "time", fromMs: 1_000, toMs: 1_001 },
    ],
  };
  expect(matches(plan, subject({ terms }))).toBe(true);
});

test("a sequence matches only adjacent terms, and its wildcard matches any term but not a gap", () => {
  const phrasePlan = (...tokens: (string | null)[]): PlanNode => ({
    kind: "terms",
    elements: tokens.map((token) => (token === null ? { kind: "any" } : { kind: "token", token })),
  });
  expect(matches(phrasePlan("a", "b"), subject())).toBe(true);
  expect(matches(phrasePlan("b", "c"), subject())).toBe(false);
  expect(matches(phrasePlan("b", null, "c"), subject())).toBe(false);
  expect(matches(phrasePlan("a", null), subject())).toBe(true);
  expect(matches(phrasePlan(), subject())).toBe(false);
});
