import { describe, expect, it } from "vitest";
import type { Coverage, PostRecord, SearchAnswer } from "./answer.ts";
import {
  countsSummary,
  countsWindow,
  localCounts,
  makeBars,
  plotGapsIn,
  stepText,
} from "./counts.ts";

const week: Coverage = {
  from: "2026-11-14T10:30:00.000Z",
  to: "2026-11-21T10:30:00.000Z",
  complete: false,
  gaps: [{ from: "2026-11-18T03:10:00.000Z", to: "2026-11-18T03:47:00.000Z" }],
  platforms: [],
};

const post = (created_at: string): PostRecord => ({
  ID: "1",
  Content: "",
  Metadata: { created_at },
  Score: 1,
});

const makeAnswer = (
  results: readonly PostRecord[],
  overrides: Partial<SearchAnswer> = {},
): SearchAnswer => ({
  uuid: "",
  results,
  next_cursor: null,
  complete: false,
  coverage: week,
  sources: [],
  warnings: [],
  canonical_query: "",
  ...overrides,
});

describe("the window that is counted", () => {
  it("the granularity of counts depends on the answer's window", () => {
    expect(countsWindow(week).granularity).toBe("hour");
    expect(countsWindow({ ...week, from: "2026-11-21T07:30:00.000Z" }).granularity).toBe("minute");
    expect(countsWindow({ ...week, from: "2026-01-01T00:00:00.000Z" }).granularity).toBe("day");
  });

  it("an unbounded counted window starts at the first archived time or the oldest result, or else seven days before its end", () => {
    const held = [{ from: "2026-11-01T00:00:00.000Z", to: week.to }];
    const postCoverage = {
      platform: "bluesky",
      collection: "posts",
      complete: false,
      gaps: [],
      held,
    } as const;
    const unboundedWeek = { ...week, from: null };
    expect(countsWindow({ ...unboundedWeek, platforms: [postCoverage] }).fromMs).toBe(
      Date.UTC(2026, 10, 1),
    );
    expect(countsWindow(unboundedWeek).fromMs).toBe(Date.parse("2026-11-14T10:30:00.000Z"));
    const oldest = "2025-12-31T11:56:59.463Z";
    expect(countsWindow(unboundedWeek, [post(oldest)]).fromMs).toBe(Date.parse(oldest));
  });
});

describe("counts of an answer with every match", () => {
  it("if an answer contains every match, counts are computed from its posts", () => {
    const window = countsWindow(week);
    const results = [
      post("2026-11-21T10:29:00Z"),
      post("2026-11-21T10:00:00Z"),
      post("2026-11-14T10:31:00Z"),
    ];
    const counts = localCounts(makeAnswer(results), window);
    expect(counts?.data).toHaveLength(169);
    expect(counts?.data[0]).toMatchObject({ start: "2026-11-14T10:30:00.000Z", tweet_count: 1 });
    expect(counts?.data.at(-1)).toMatchObject({
      start: "2026-11-21T10:00:00.000Z",
      tweet_count: 2,
    });
  });

  it("counts are not computed if posts may follow, the deadline was reached, or a post has no time", () => {
    const window = countsWindow(week);
    expect(localCounts(makeAnswer([], { next_cursor: "c" }), window)).toBeNull();
    const warnings = [{ code: "deadline_reached", message: "" }];
    expect(localCounts(makeAnswer([], { warnings }), window)).toBeNull();
    expect(localCounts(makeAnswer([post("never")]), window)).toBeNull();
    expect(localCounts(makeAnswer([post("2020-01-01T00:00:00Z")]), window)).toBeNull();
  });
});

it("a week of counts is drawn in four-hour steps without losing posts", () => {
  const window = countsWindow(week);
  const counts = localCounts(
    makeAnswer([post("2026-11-15T00:00:00Z"), post("2026-11-15T03:59:59Z")]),
    window,
  );
  if (counts === null) throw new Error("the answer was not counted");
  const { bars, stepMs } = makeBars(counts, window);
  expect(stepText(stepMs)).toBe("every 4 hours");
  expect(bars).toHaveLength(43);
  expect(bars.filter(({ count }) => count > 0)).toEqual([
    { fromMs: Date.UTC(2026, 10, 15, 0), toMs: Date.UTC(2026, 10, 15, 4), count: 2 },
  ]);
  const summary = countsSummary(bars, stepMs, plotGapsIn(week, window));
  expect(summary).toMatch(
    /^Matching posts every 4 hours from .*, 2 in total\. Highest count: 2, from .*\. 37 min missing from /,
  );
});

it("gaps in counts are clipped to the window, and those at its start are marked", () => {
  const window = countsWindow(week);
  const gaps = [
    { from: null, to: "2026-11-15T00:00:00.000Z" },
    { from: "2026-11-21T00:00:00.000Z", to: "2026-12-01T00:00:00.000Z" },
  ];
  expect(plotGapsIn({ ...week, gaps }, window)).toEqual([
    { fromMs: window.fromMs, toMs: Date.UTC(2026, 10, 15), isBefore: true },
    { fromMs: Date.UTC(2026, 10, 21), toMs: window.toMs, isBefore: false },
  ]);
});

it("the length of a step between counts is described in words", () => {
  expect([60_000, 300_000, 3_600_000, 86_400_000, 7 * 86_400_000].map(stepText)).toEqual([
    "every minute",
    "every 5 minutes",
    "every hour",
    "every day",
    "every 7 days",
  ]);
});
