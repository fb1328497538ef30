import fc from "fast-check";
import { expect, test } from "vitest";
import {
  addLatencies,
  latencyAt,
  parseLatencies,
  printLatencies,
  recordLatency,
} from "./latency-histogram.ts";

const times = fc.array(fc.double({ min: 1, max: 900_000_000, noNaN: true }), {
  minLength: 1,
  maxLength: 200,
});
const shares = fc.constantFrom(0.01, 0.5, 0.9, 0.99, 1);

function getHistogram(ms: readonly number[]) {
  const histogram = new Map<number, number>();
  for (const value of ms) recordLatency(histogram, value);
  return histogram;
}

function exactAt(ms: readonly number[], share: number): number {
  return ms.toSorted((a, b) => a - b)[Math.ceil(share * ms.length) - 1] ?? Number.NaN;
}

test("a latency percentile has a relative error of at most 5 %", () => {
  fc.assert(
    fc.property(times, shares, (ms, share) => {
      const estimate = latencyAt(getHistogram(ms), share) ?? Number.NaN;
      const exact = exactAt(ms, share);
      expect(Math.abs(estimate - exact) / exact).toBeLessThanOrEqual(0.05);
    }),
  );
});

test("merged latency histograms equal a single histogram of all calls, both as maps and as text", () => {
  fc.assert(
    fc.property(times, times, (some, others) => {
      const all = getHistogram([...some, ...others]);
      const merged = getHistogram(some);
      addLatencies(merged, getHistogram(others));
      expect(merged).toEqual(all);
      const texts = [some, others].map((ms) => printLatencies(getHistogram(ms)));
      expect(parseLatencies(texts.join(" "))).toEqual(all);
    }),
  );
});

test("a latency histogram without calls has no percentile", () => {
  expect(latencyAt(new Map(), 0.5)).toBeNull();
  expect(parseLatencies("")).toEqual(new Map());
  expect(printLatencies(new Map())).toBe("");
});

test("a latency histogram accepts invalid times, and times below a millisecond and above eleven days", () => {
  expect(latencyAt(getHistogram([0]), 0.5)).toBe(0);
  expect(latencyAt(getHistogram([Number.NaN]), 0.5)).toBe(0);
  expect(latencyAt(getHistogram([-3]), 0.5)).toBe(0);
  expect(latencyAt(getHistogram([1e15]), 0.5)).toBeGreaterThan(900_000_000);
});

test("malformed entries in the text of a latency histogram are skipped", () => {
  expect(parseLatencies("5:2 no:! 5:- 9 : 6p:1 -1:4 a:1")).toEqual(
    new Map([
      [5, 2],
      [10, 1],
    ]),
  );
});
