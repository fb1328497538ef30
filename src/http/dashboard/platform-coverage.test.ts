import { expect, test } from "vitest";
import type { CoverageInterval } from "../../archive/archive.ts";
import { platformCoverage } from "./platform-coverage.ts";

const nowMs = Date.UTC(2026, 10, 21, 12);
const hourMs = 3_600_000;
const at = (hoursAgo: number): number => nowMs - hoursAgo * hourMs;
const iso = (hoursAgo: number): string => new Date(at(hoursAgo)).toISOString().replace(".000", "");

function interval(fromHours: number, toHours: number, overrides: Partial<CoverageInterval> = {}) {
  return {
    platform: "bluesky" as const,
    collection: "posts" as const,
    account: null,
    source: "jetstream",
    fromMs: at(fromHours),
    toMs: at(toHours),
    ...overrides,
  };
}

const getCoverage = (intervals: readonly CoverageInterval[]) =>
  platformCoverage(intervals, { fromMs: at(24), nowMs, slackMs: 10_000, liveSinceMs: 0 });

test("a gap is uncovered time between covered spans", () => {
  expect(getCoverage([interval(30, 10), interval(8, 0)])).toEqual({
    held: [
      { from: iso(24), to: iso(10), source: "jetstream" },
      { from: iso(8), to: iso(0), source: "jetstream" },
    ],
    gaps: [{ from: iso(10), to: iso(8) }],
    complete_since: iso(8),
  });
});

test("time before the first interval is neither covered nor a gap", () => {
  expect(getCoverage([interval(5, 0)])).toEqual({
    held: [{ from: iso(5), to: iso(0), source: "jetstream" }],
    gaps: [],
    complete_since: iso(5),
  });
});

test("a stream that has ended has a gap up to now, but one with a small lag has none", () => {
  expect(getCoverage([interval(5, 1)])).toMatchObject({
    gaps: [{ from: iso(1), to: iso(0) }],
    complete_since: null,
  });
  const moment = interval(5, 0, { toMs: nowMs - 9_000 });
  expect(getCoverage([moment])).toMatchObject({ gaps: [], complete_since: iso(5) });
});

test("coverage that consists only of imports has no gap after the last one", () => {
  const importSource = { source: "import" };
  expect(getCoverage([interval(20, 15, importSource), interval(12, 6, importSource)])).toEqual({
    held: [
      { from: iso(20), to: iso(15), source: "import" },
      { from: iso(12), to: iso(6), source: "import" },
    ],
    gaps: [{ from: iso(15), to: iso(12) }],
    complete_since: null,
  });
});

test("a backfill that closes a gap is listed as a source along with the stream", () => {
  expect(
    getCoverage([interval(30, 10), interval(10, 8, { source: "backfill" }), interval(8, 0)]),
  ).toEqual({
    held: [{ from: iso(24), to: iso(0), source: "backfill, jetstream" }],
    gaps: [],
    complete_since: iso(30),
  });
});

test("coverage by the stream of a single server is not reported as complete", () => {
  const source = "mastodon-stream:social.example";
  expect(getCoverage([interval(5, 3, { source }), interval(2, 0, { source })])).toEqual({
    held: [
      { from: iso(5), to: iso(3), source },
      { from: iso(2), to: iso(0), source },
    ],
    gaps: [{ from: iso(3), to: iso(2) }],
    complete_since: null,
  });
});

test("platform coverage omits single accounts, other collections and times before the range", () => {
  const noCoverage = { held: [], gaps: [], complete_since: null };
  expect(getCoverage([])).toEqual(noCoverage);
  expect(getCoverage([interval(5, 0, { account: "did:plc:a" })])).toEqual(noCoverage);
  expect(getCoverage([interval(5, 0, { collection: "likes" })])).toEqual(noCoverage);
  const pastCoverage = getCoverage([interval(60, 50)]);
  expect(pastCoverage.held).toEqual([]);
  expect(pastCoverage.gaps).toEqual([{ from: iso(24), to: iso(0) }]);
});

test("platform coverage lists at most 100 gaps", () => {
  const manyIntervals = Array.from({ length: 500 }, (_, index) => {
    const fromMs = at(20) + index * 100_000;
    return interval(0, 0, { fromMs, toMs: fromMs + 50_000 });
  });
  const { held, gaps } = getCoverage(manyIntervals);
  expect(gaps).toHaveLength(100);
  expect(held.length).toBeLessThanOrEqual(101);
});
