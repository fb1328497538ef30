import { beforeEach, expect, test } from "vitest";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { Segment } from "../segments/segment.ts";
import { type CountCache, createCountCache, type KnownCounts } from "./count-cache.ts";

let cache: CountCache;
beforeEach(() => {
  cache = createCountCache();
});

const segmentStub = (): Segment => Object.create(null);
const segment = segmentStub();

const entry = (sequence: number, high = 99n): SegmentEntry => ({
  platform: "x",
  sequence,
  low: 0n,
  high,
  skew: { minMs: 0, maxMs: 0 },
  analyzer: "",
  numbering: 1,
  optimised: false,
  lastWrittenInCommit: 1,
  rewriting: false,
});

const known = (numbers: number, partialCounts = 0): KnownCounts => ({
  fromMs: 0,
  toMs: numbers,
  counts: new Map(Array.from({ length: numbers }, (_, ms) => [ms, 1])),
  partialCounts: new Map(Array.from({ length: partialCounts }, (_, n) => [`${n}-${n + 1}`, 1])),
});

const isCached = (...position: Parameters<CountCache["find"]>): boolean =>
  cache.find(...position).toMs > 0;

test("cached counts are returned only for the same query, segment, version and ID range", () => {
  cache.put("q", segment, entry(1), 7, known(3));
  expect(cache.find("q", segment, entry(1), 7)).toEqual(known(3));
  expect(isCached("other", segment, entry(1), 7)).toBe(false);
  expect(isCached("q", segment, entry(2), 7)).toBe(false);
  for (const position of [
    ["q", segment, entry(1), 8],
    ["q", segmentStub(), entry(1), 7],
    ["q", segment, entry(1, 50n), 7],
  ] satisfies Parameters<CountCache["find"]>[]) {
    cache.put("q", segment, entry(1), 7, known(3));
    expect(isCached(...position)).toBe(false);
    expect(isCached("q", segment, entry(1), 7)).toBe(false);
  }
});

test("the count cache evicts the least recently stored counts", () => {
  cache.put("first", segment, entry(1), 1, known(90_000));
  cache.put("second", segment, entry(1), 1, known(90_000));
  const first = cache.find("first", segment, entry(1), 1);
  cache.put("first", segment, entry(1), 1, first);
  cache.put("third", segment, entry(1), 1, known(90_000));
  expect(isCached("first", segment, entry(1), 1)).toBe(true);
  expect(isCached("second", segment, entry(1), 1)).toBe(false);
  expect(isCached("third", segment, entry(1), 1)).toBe(true);
});

test("a single query cannot fill the count cache", () => {
  cache.put("small", segment, entry(1), 1, known(10));
  cache.put("large", segment, entry(1), 1, known(100_001));
  expect(isCached("large", segment, entry(1), 1)).toBe(false);
  expect(isCached("small", segment, entry(1), 1)).toBe(true);
  cache.put("span", segment, entry(1), 1, known(1, 40));
  expect([...cache.find("span", segment, entry(1), 1).partialCounts.keys()].at(0)).toBe("24-25");
});
