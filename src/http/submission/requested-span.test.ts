import { parseQuery } from "@earshot/query";
import { describe, expect, test } from "vitest";
import type { RequestedBounds } from "../../jobs/job.ts";
import { requestedSpan, unsearchedSpan } from "./window.ts";

const ms = (text: string): number => Date.parse(text);
const asOfMs = ms("2026-11-20");
const bounds: RequestedBounds = { startMs: null, endMs: null };

const querySpan = (query: string, ownBounds = bounds) =>
  requestedSpan(parseQuery(query, { maxLength: 1_000 }).tree, ownBounds, asOfMs);

describe("the requested span of time", () => {
  test.each([
    ["comet", null, null],
    ["comet since:2026-01-02", "2026-01-02", null],
    ["comet until:2026-01-02", null, "2026-01-02"],
    ["since:2026-01-02 since:2026-02-03 until:2026-03-04", "2026-02-03", "2026-03-04"],
    ["-since:2026-01-02", null, "2026-01-02"],
    ["-until:2026-01-02", "2026-01-02", null],
    ["(since:2020-01-01 until:2021-01-01) OR since:2026-01-01", "2020-01-01", null],
    ["(since:2020-01-01 until:2021-01-01) OR comet", null, null],
    ["comet within_time:10d", "2026-11-10", null],
    ["-within_time:10d", null, "2026-11-10"],
    ["dog -(since:2026-01-02 cat)", null, null],
    ["dog -(since:2026-01-02 until:2026-03-04)", null, null],
    ["-(since:2026-01-02 OR until:2025-01-01)", "2025-01-01", "2026-01-02"],
    ["-(cat -since:2026-01-02)", null, null],
  ])("the requested span of time is read from the query %s", (query, from, to) => {
    expect(querySpan(query)).toEqual({
      fromMs: from === null ? null : ms(from),
      toMs: to === null ? null : ms(to),
    });
  });

  test("the requested span of time is bounded by IDs that contain a time", () => {
    const id = String((BigInt(ms("2026-01-02") - 1_288_834_974_657) << 22n) + 5n);
    expect(querySpan(`since_id:${id}`).fromMs).toBe(ms("2026-01-02") - 1_000);
    expect(querySpan(`max_id:${id}`).toMs).toBe(ms("2026-01-02") + 1_000);
    expect(querySpan(`-since_id:${id}`).toMs).toBe(ms("2026-01-02") + 1_000);
    expect(querySpan(`-max_id:${id}`).fromMs).toBe(ms("2026-01-02") - 1_000);
    expect(querySpan("max_id:20")).toEqual({ fromMs: null, toMs: null });
  });

  test("the requested span of time is narrowed further by start_time and end_time", () => {
    const ownBounds = { startMs: ms("2026-02-01"), endMs: ms("2026-03-01") };
    expect(querySpan("since:2026-01-02 until:2026-02-15", ownBounds)).toEqual({
      fromMs: ms("2026-02-01"),
      toMs: ms("2026-02-15"),
    });
  });
});

describe("the part of the requested span before the window", () => {
  const window = { fromMs: 100 };
  test.each([
    ["begins within the window", { fromMs: 100, toMs: null }, null],
    ["has no beginning and reaches into the window", { fromMs: null, toMs: 101 }, null],
    ["begins earlier", { fromMs: 40, toMs: null }, { fromMs: 40, toMs: 100 }],
    ["is before the window", { fromMs: 40, toMs: 60 }, { fromMs: 40, toMs: 60 }],
    [
      "ends before the window and has no beginning",
      { fromMs: null, toMs: 60 },
      { fromMs: null, toMs: 60 },
    ],
    ["is empty", { fromMs: 60, toMs: 40 }, null],
    ["is unbounded", { fromMs: null, toMs: null }, null],
  ])(
    "the unsearched part of a requested span is computed if the span %s",
    (_, requested, expected) => {
      expect(unsearchedSpan(window, requested)).toEqual(expected);
      expect(unsearchedSpan({ fromMs: null }, requested)).toBeNull();
    },
  );
});
