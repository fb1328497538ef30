import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type PlotBucket, plotCounts } from "./counts-plot.ts";
import { displayWidth } from "./text-layout.ts";

const hourMs = 3_600_000;
const start = Date.UTC(2026, 0, 31);
const plainPaint = { accent: (text: string) => text, dim: (text: string) => text };
const plotOptions = { width: 40, height: 20, unicode: true, paint: plainPaint };

/** One-hour buckets from the 31st on; a negative count means incomplete, and -0.5 also without posts. */
const hours = (...counts: number[]): PlotBucket[] =>
  counts.map((count, index) => ({
    fromMs: start + index * hourMs,
    toMs: start + (index + 1) * hourMs,
    count: Math.floor(Math.abs(count)),
    complete: count >= 0,
  }));

test("the plot draws one bar per bucket in proportion to its count", () => {
  const { lines } = plotCounts(hours(0, 9, 18, 1), hourMs, plotOptions);
  expect(lines).toEqual([
    "2026-01-31 00:00   0",
    "2026-01-31 01:00   9   ████████▌",
    "2026-01-31 02:00  18   █████████████████",
    "2026-01-31 03:00   1   ▉",
  ]);
});

test("the plot hatches incomplete buckets with a question mark, and shows no count for those without posts", () => {
  const { lines } = plotCounts(hours(10, -5, -0.5, 0), hourMs, plotOptions);
  expect(lines).toEqual([
    "2026-01-31 00:00  10   █████████████████",
    "2026-01-31 01:00   5?  ▒▒▒▒▒▒▒▒▒",
    "2026-01-31 02:00    ?",
    "2026-01-31 03:00   0",
  ]);
});

test("the plot uses ASCII on a terminal without Unicode", () => {
  const { lines } = plotCounts(hours(10, -5, 1), hourMs, { ...plotOptions, unicode: false });
  expect(lines).toEqual([
    "2026-01-31 00:00  10   #################",
    "2026-01-31 01:00   5?  %%%%%%%%%",
    "2026-01-31 02:00   1   #",
  ]);
});

describe("more buckets than lines", () => {
  test("if there are more buckets than lines, they are merged at round times of the day, with the sum of their counts", () => {
    const shiftedBuckets = hours(...Array(48).fill(1)).slice(5);
    const { lines, lineMs } = plotCounts(shiftedBuckets, hourMs, { ...plotOptions, height: 10 });
    expect(lineMs).toBe(6 * hourMs);
    expect(lines.map((line) => line.slice(0, 19))).toEqual([
      "2026-01-31 00:00  1",
      "2026-01-31 06:00  6",
      "2026-01-31 12:00  6",
      "2026-01-31 18:00  6",
      "2026-02-01 00:00  6",
      "2026-02-01 06:00  6",
      "2026-02-01 12:00  6",
      "2026-02-01 18:00  6",
    ]);
  });

  test("a merged bucket is incomplete if one of its buckets is", () => {
    const counts = Array.from({ length: 48 }, (_, hour) => (hour === 30 ? -0.5 : 1));
    const { lines } = plotCounts(hours(...counts), hourMs, { ...plotOptions, height: 3 });
    expect(lines).toEqual([
      "2026-01-31  24   ███████████████████████",
      "2026-02-01  23?  ▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒▒",
    ]);
  });

  test("lines fit any terminal, and the total count is preserved", () => {
    const bucket = fc.record({
      count: fc.integer({ min: 0, max: 1_000_000 }),
      complete: fc.boolean(),
    });
    fc.assert(
      fc.property(
        fc.array(bucket, { minLength: 1, maxLength: 400 }),
        fc.constantFrom(60_000, hourMs, 24 * hourMs, 40_000 * hourMs),
        fc.integer({ min: 40, max: 200 }),
        fc.integer({ min: 2, max: 60 }),
        (drawn, bucketMs, width, height) => {
          const from = Math.floor(start / bucketMs) * bucketMs;
          const buckets = drawn.map((each, index) => ({
            ...each,
            fromMs: from + index * bucketMs,
            toMs: from + (index + 1) * bucketMs,
          }));
          const { lines } = plotCounts(buckets, bucketMs, { ...plotOptions, width, height });
          expect(lines.length).toBeLessThanOrEqual(height);
          for (const line of lines) expect(displayWidth(line)).toBeLessThanOrEqual(width);
          const numbers = lines.map(
            (line) => /^\S+(?: \d\d:\d\d)? +([\d,]*)/.exec(line)?.[1] ?? "",
          );
          const total = numbers.reduce((sum, text) => sum + Number(text.replaceAll(",", "")), 0);
          expect(total).toBe(drawn.reduce((sum, { count }) => sum + count, 0));
        },
      ),
    );
  });
});

test("the plot is empty without buckets", () => {
  expect(plotCounts([], hourMs, plotOptions).lines).toEqual([]);
});
