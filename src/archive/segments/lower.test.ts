import type { PlanNode } from "@earshot/query/plan";
import { describe, expect, test } from "vitest";
import { type LoweredPlan, lower } from "../read/platform-query.ts";

const on = (platform: "bluesky" | "x"): PlanNode => ({ kind: "platform", platform });
const not = (child: PlanNode): PlanNode => ({ kind: "not", child });
const or = (...children: PlanNode[]): PlanNode => ({ kind: "or", children });
const and = (...children: PlanNode[]): PlanNode => ({ kind: "and", children });
const word: PlanNode = { kind: "terms", elements: [{ kind: "token", token: "word" }] };
const time: PlanNode = { kind: "time", fromMs: 5, toMs: null };
const ids: PlanNode = { kind: "id", low: 5n, high: null };

const everything: LoweredPlan = { plan: { kind: "all" }, exact: true };
const nothing: LoweredPlan = { plan: { kind: "none" }, exact: true };

describe("platform conditions", () => {
  test.each<[string, PlanNode, LoweredPlan]>([
    ["the segment's platform matches everything", on("x"), everything],
    ["another platform matches nothing", on("bluesky"), nothing],
    ["the negation of the segment's platform matches nothing", not(on("x")), nothing],
    ["the negation of another platform matches everything", not(on("bluesky")), everything],
    [
      "the segment's platform is dropped from a conjunction",
      and(on("x"), word),
      { plan: word, exact: true },
    ],
    [
      "a conjunction with another platform matches nothing",
      and(on("bluesky"), word, time),
      nothing,
    ],
    [
      "a disjunction with the segment's platform matches everything",
      or(time, on("x"), word),
      everything,
    ],
    [
      "another platform is dropped from a disjunction",
      or(on("bluesky"), word),
      { plan: word, exact: true },
    ],
    [
      "a negated disjunction with the segment's platform matches nothing",
      not(or(on("x"), time)),
      nothing,
    ],
    [
      "a negated conjunction with another platform matches everything",
      not(and(on("bluesky"), time)),
      everything,
    ],
  ])("when a plan is lowered, %s", (_name, plan, expected) => {
    expect(lower(plan, "x")).toEqual(expected);
  });
});

describe("inexact conditions", () => {
  test.each([time, ids])(
    "a plan with an inexact $kind condition is lowered to a superset, which is checked",
    (plan) => {
      expect(lower(plan, "x")).toEqual({ plan: { kind: "all" }, exact: false });
      expect(lower(not(plan), "x")).toEqual({ plan: { kind: "all" }, exact: false });
      expect(lower(or(plan, word), "x")).toEqual({ plan: { kind: "all" }, exact: false });
      expect(lower(and(plan, word), "x")).toEqual({ plan: word, exact: false });
      expect(lower(not(and(plan, word)), "x")).toEqual({ plan: { kind: "all" }, exact: false });
      expect(lower(not(or(plan, word)), "x")).toEqual({ plan: not(word), exact: false });
    },
  );
});

describe("count conditions", () => {
  const likes = (atLeast: number): PlanNode => ({ kind: "min-count", metric: "likes", atLeast });
  const facet = (count: number): PlanNode => ({
    kind: "terms",
    elements: [{ kind: "token", token: `likes>=${count}` }],
  });

  test.each<[number, number | null, number | null, boolean]>([
    [1, 1, 1, true],
    [999, 100, 1_000, false],
    [1_000, 1_000, 1_000, true],
    [1_001, 1_000, 10_000, false],
    [1_000_000_000, 1_000_000_000, 1_000_000_000, true],
    [1_000_000_001, 1_000_000_000, null, false],
  ])(
    "a count of at least %i is lowered to the nearest facets, %s and %s",
    (atLeast, below, above, exact) => {
      const lowered = lower(likes(atLeast), "x");
      expect(lowered).toEqual({ plan: below === null ? { kind: "all" } : facet(below), exact });
      const negated = above === null ? { kind: "all" } : not(facet(above));
      expect(lower(not(likes(atLeast)), "x")).toEqual({ plan: negated, exact });
    },
  );
});

describe("phrases", () => {
  const phrase = (text: string): PlanNode => ({
    kind: "terms",
    elements: text.split(" ").map((token) => ({ kind: "token", token })),
  });

  test.each(["one", "to be or not to be", "a a"])(
    "the phrase %s is matched exactly by the index",
    (text) => {
      expect(lower(phrase(text), "x")).toEqual({ plan: phrase(text), exact: true });
    },
  );

  test.each<[string, PlanNode]>([
    ["the ".repeat(256).trim(), phrase("the the")],
    ["a b a b a b c", and(phrase("a b a b"), phrase("c"))],
    ["the a the b the c d", and(phrase("the a the b"), phrase("c d"))],
  ])("the lowered phrase %s has each word at most twice, and is checked", (text, expected) => {
    expect(lower(phrase(text), "x")).toEqual({ plan: expected, exact: false });
    expect(lower(not(phrase(text)), "x")).toEqual({ plan: { kind: "all" }, exact: false });
  });
});

test("a circle with too many cells is lowered to all posts with a location", () => {
  const circle: PlanNode = { kind: "geo", lat: 10.5, lon: 10.5, radiusKm: 100 };
  expect(lower(circle, "x", 64).plan).toMatchObject({ kind: "or" });
  expect(lower(circle, "x", 1).plan).toMatchObject({ kind: "terms" });
});
