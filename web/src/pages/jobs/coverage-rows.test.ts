import { expect, test } from "vitest";
import type { JobCoverage, JobSource } from "../../jobs/job.ts";
import { coverageRows } from "./coverage-rows.ts";

const day = (number: number): string => `2026-01-${String(number).padStart(2, "0")}T00:00:00.000Z`;
const span = (from: number | null, to: number) => ({
  from: from === null ? null : day(from),
  to: day(to),
});

function getRow(
  from: number | null,
  held: readonly ReturnType<typeof span>[],
  gaps: readonly ReturnType<typeof span>[],
  sources: readonly JobSource[] = [],
) {
  const complete = gaps.length === 0;
  const platform = { platform: "bluesky", collection: "posts", truncated: false } as const;
  const coverage: JobCoverage = {
    ...{ from: from === null ? null : day(from), to: day(20), complete, gaps, truncated: false },
    platforms: [{ ...platform, complete, held, gaps }],
  };
  return coverageRows(coverage, sources, Date.parse(day(21)))?.rows[0];
}

test("a job's coverage reports a fully covered window as complete", () => {
  expect(getRow(10, [span(10, 20)], [])?.summary).toMatch(/^Complete from .* to /);
});

test("a job's coverage draws a gap between archived spans", () => {
  const row = getRow(10, [span(10, 14), span(16, 20)], [span(14, 16)]);
  expect([row?.summary, row?.parts.gaps.length]).toEqual(["1 gap, 2 days", 1]);
});

test("a job's coverage draws no gap before the first archived span", () => {
  const row = getRow(10, [span(15, 20)], [span(10, 15)]);
  expect(row?.summary).toMatch(/^Archived since /);
  expect(row?.parts.gaps).toEqual([]);
});

test("a job's coverage draws no gap if nothing is archived", () => {
  const row = getRow(10, [], [span(10, 20)]);
  expect([row?.summary, row?.parts.gaps.length]).toEqual(["Coverage unknown", 0]);
});

test("a job's coverage reports archived posts if no span is complete", () => {
  const from = (via: JobSource["via"]): JobSource => ({
    ...{ platform: "bluesky", from: day(10), to: day(20), count: 3 },
    via,
  });
  const getSummary = (via: JobSource["via"]) =>
    getRow(10, [], [span(10, 20)], [from(via)])?.summary;
  expect(getSummary("archive")).toBe("Some posts, coverage unknown");
  expect(getSummary("public")).toBe("Answered live, may be incomplete");
});

test("the drawing of a job's coverage starts shortly before the first archived time if the search has no start", () => {
  const row = getRow(null, [span(10, 20)], [span(null, 10)]);
  expect(new Date(row?.parts.window.fromMs ?? 0).toISOString()).toBe(day(9));
  expect(row?.parts.gaps).toEqual([]);
});

test("a method that does not search has no coverage rows", () => {
  const coverage = { from: null, to: day(20), complete: true, gaps: [], truncated: false };
  expect(coverageRows({ ...coverage, platforms: [] }, [], 0)).toBeNull();
});
