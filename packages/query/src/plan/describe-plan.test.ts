import { describe, expect, test } from "vitest";
import { parseQuery } from "../grammar/parse.ts";
import { describeIds, describePlan, describeTime } from "./describe-plan.ts";
import { makePlan, namesIn } from "./make-plan.ts";
import type { PlanNode } from "./plan.ts";
import { unresolvedNames } from "./unresolved-names.ts";

const asOfMs = Date.UTC(2026, 0, 2);

function unresolvedPlan(query: string) {
  const { tree } = parseQuery(query);
  const unresolved = unresolvedNames(namesIn(tree));
  return { plan: makePlan(tree, { names: unresolved.names, asOfMs }), unresolved };
}

function describeQuery(query: string): string {
  const { plan, unresolved } = unresolvedPlan(query);
  return describePlan(plan, unresolved);
}

describe("the description of a plan", () => {
  test.each([
    ["NASA", "token nasa"],
    ["state-of-the-art", "phrase state of the art"],
    ['"a * b"', "phrase a (any one) b"],
    ["京", "tokens that begin with 京"],
    ['"東京 京"', "phrase 東京 京 京…"],
    ["#News", "facet #news"],
    ["lang:en", "facet lang:en"],
    ["filter:retweets", "facet is:retweet"],
    ['url:"nasa.gov/artemis"', "adjacent facets url:nasa url:gov url:artemis"],
    ["since:2026-01-02", "time at or after 2026-01-02T00:00:00.000Z"],
    ["until:2026-01-02", "time before 2026-01-02T00:00:00.000Z"],
    ["within_time:1d", "time at or after 2026-01-01T00:00:00.000Z"],
    ["since_id:5", "IDs from 6 on"],
    ["max_id:9223372036854775807", "IDs up to 9223372036854775807"],
    ["min_faves:150", "at least 150 likes"],
    ["min_faves:0", "every post"],
    ["platform:x", "platform x"],
    ["geocode:52.5,13.4,10km", "circle of 10 km around latitude 52.5, longitude 13.4"],
  ])("a plan is described in words: %s", (query, expected) => {
    expect(describeQuery(query)).toBe(expected);
  });

  test("a plan is drawn as a tree with one node per line", () => {
    expect(describeQuery("(a OR b) -(c d) e")).toBe(
      [
        "all of",
        "├─ any of",
        "│  ├─ token a",
        "│  └─ token b",
        "├─ not",
        "│  └─ all of",
        "│     ├─ token c",
        "│     └─ token d",
        "└─ token e",
      ].join("\n"),
    );
  });

  test("the description of a plan reports that nothing can match", () => {
    expect(describePlan({ kind: "none" })).toBe("no post");
  });
});

describe("unresolved names", () => {
  test.each([
    ["from:nasa", "facet from:… of the account nasa, resolved when the query runs"],
    ["to:nasa", "facet to:… of the account nasa, resolved when the query runs"],
    ["@nasa", "facet @… of the account nasa, resolved when the query runs"],
    ["quoted_user_id:7", "facet quoted-user:… of the account 7, resolved when the query runs"],
    ["retweets_of:nasa", "facet reposted-user:… of the account nasa, resolved when the query runs"],
    ["conversation_id:20", "facet conversation:… of the post 20, resolved when the query runs"],
    ["in_reply_to:20", "facet reply:… of the post 20, resolved when the query runs"],
    ["quoted:20", "facet quoted:… of the post 20, resolved when the query runs"],
    ["retweets_of_tweet_id:20", "facet reposted:… of the post 20, resolved when the query runs"],
  ])("an unresolved name is replaced by a placeholder: %s", (query, expected) => {
    expect(describeQuery(query)).toBe(expected);
  });

  test("placeholders of unresolved names differ from each other and from values in the query that resemble them", () => {
    const names = describeQuery(
      'from:ann from:bob quoted:1 source:"from:?/0" label:"@?/0" "from:?/0"',
    );
    expect(names).toMatch(/account ann,[\s\S]*account bob,[\s\S]*post 1,/);
    expect(names.match(/resolved when the query runs/g)).toHaveLength(3);
  });

  test("placeholders for accounts and posts are distinguished", () => {
    expect(describeQuery("from:ann quoted:1")).toMatch(/account ann,[\s\S]*post 1,/);
  });
});

describe("the description of bounds", () => {
  test("the description of bounds names both ends of a time range, or any time", () => {
    expect(describeTime(0, 1)).toBe(
      "time at or after 1970-01-01T00:00:00.000Z and before 1970-01-01T00:00:00.001Z",
    );
    expect(describeTime(null, null)).toBe("any time");
  });

  test("the description of bounds shows a time that no date can represent as the nearest date", () => {
    const plan: PlanNode = { kind: "time", fromMs: -1e300, toMs: null };
    expect(describePlan(plan)).toBe("time at or after -271821-04-20T00:00:00.000Z");
  });

  test("the description of bounds shows ID ranges with both ends inclusive", () => {
    expect(describeIds(1n, 2n)).toBe("IDs from 1 to 2");
    expect(describeIds(null, null)).toBe("any ID");
  });
});
