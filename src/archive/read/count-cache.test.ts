import { beforeEach, expect, test } from "vitest";
import type { SegmentEntry } from "../catalog/catalog.ts";
import type { Segment } from "../segments/segment.ts";
import { type CountCache, createCountCache, type KnownCounts } from "./count-cache.ts";

let cache: CountCache;
beforeEach(() => {
  cache = createCountCache();
});

const openedSegment = (): Segment => Object.create(null);
const segment = openedSegment();

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

const known = (numbers: number, cuts = 0): KnownCounts => ({
  fromMs: 0,
  toMs: numbers,
  counts: new Map(Array.from({ length: numbers }, (_, ms) => [ms, 1])),
  cuts: new Map(Array.from({ length: cuts }, (_, n) => [`${n}-${n + 1}`, 1])),
});

const isKnown = (...position: Parameters<CountCache["find"]>): boolean =>
  cache.find(...position).toMs > 0;

test("cached counts are returned while file, version and IDs are the same", () => {
  cache.keep("q", segment, entry(1), 7, known(3));
  expect(cache.find("q", segment, entry(1), 7)).toEqual(known(3));
  expect(isKnown("other", segment, entry(1), 7)).toBe(false);
  expect(isKnown("q", segment, entry(2), 7)).toBe(false);
  for (const position of [
    ["q", segment, entry(1), 8],
    ["q", openedSegment(), entry(1), 7],
    ["q", segment, entry(1, 50n), 7],
  ] satisfies Parameters<CountCache["find"]>[]) {
    cache.keep("q", segment, entry(1), 7, known(3));
    expect(isKnown(...position)).toBe(false);
    expect(isKnown("q", segment, entry(1), 7)).toBe(false);
  }
});

test("the count cache evicts the least recently requested count, and never exceeds its bound", () => {
  cache.keep("first", segment, entry(1), 1, known(90_000));
  cache.keep("second", segment, entry(1), 1, known(90_000));
  const first = cache.find("first", segment, entry(1), 1);
  cache.keep("first", segment, entry(1), 1, first);
  cache.keep("third", segment, entry(1), 1, known(90_000));
  expect(isKnown("first", segment, entry(1), 1)).toBe(true);
  expect(isKnown("second", segment, entry(1), 1)).toBe(false);
  expect(isKnown("third", segment, entry(1), 1)).toBe(true);
});

test("a single query does not fill the count cache", () => {
  cache.keep("small", segment, entry(1), 1, known(10));
  cache.keep("great", segment, entry(1), 1, known(100_001));
  expect(isKnown("great", segment, entry(1), 1)).toBe(false);
  expect(isKnown("small", segment, entry(1), 1)).toBe(true);
  cache.keep("cut", segment, entry(1), 1, known(1, 40));
  expect([...cache.find("cut", segment, entry(1), 1).cuts.keys()].at(0)).toBe("24-25");
});
