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

function histogramOf(ms: readonly number[]) {
  const histogram = new Map<number, number>();
  for (const one of ms) recordLatency(histogram, one);
  return histogram;
}

function exactAt(ms: readonly number[], share: number): number {
  return ms.toSorted((a, b) => a - b)[Math.ceil(share * ms.length) - 1] ?? Number.NaN;
}

test("a latency percentile has a relative error of at most 5 %", () => {
  fc.assert(
    fc.property(times, shares, (ms, share) => {
      const estimate = latencyAt(histogramOf(ms), share) ?? Number.NaN;
      const exact = exactAt(ms, share);
      expect(Math.abs(estimate - exact) / exact).toBeLessThanOrEqual(0.05);
    }),
  );
});

test("merged latency histograms equal a single one of all calls, as maps and as texts", () => {
  fc.assert(
    fc.property(times, times, (some, others) => {
      const all = histogramOf([...some, ...others]);
      const merged = histogramOf(some);
      addLatencies(merged, histogramOf(others));
      expect(merged).toEqual(all);
      const texts = [some, others].map((ms) => printLatencies(histogramOf(ms)));
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
  expect(latencyAt(histogramOf([0]), 0.5)).toBe(0);
  expect(latencyAt(histogramOf([Number.NaN]), 0.5)).toBe(0);
  expect(latencyAt(histogramOf([-3]), 0.5)).toBe(0);
  expect(latencyAt(histogramOf([1e15]), 0.5)).toBeGreaterThan(900_000_000);
});

test("malformed entries in the text of a latency histogram are skipped", () => {
  expect(parseLatencies("5:2 no:! 5:- 9 : 6p:1 -1:4 a:1")).toEqual(
    new Map([
      [5, 2],
      [10, 1],
    ]),
  );
});
