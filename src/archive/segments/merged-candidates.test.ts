import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ChunkSet, listSet } from "../sealed/chunk-set.ts";
import { postsPerChunk } from "../sealed/format.ts";
import type { SealedIndex } from "../sealed/sealed-index.ts";
import { type CandidateBatch, type DeltaLookup, mergedCandidates } from "./merged-candidates.ts";

const posts = 3 * postsPerChunk;
const newest = BigInt(posts) * 2n;
const idAt = (number: number): bigint => newest - BigInt(number) * 2n;
const everything = { low: 0n, high: newest + 1n };
const never = (): boolean => false;

function makeIndex(numbers: readonly number[]): SealedIndex {
  const firstNumberBelow = (id: bigint): number =>
    id > newest ? 0 : Math.min(posts, Number((newest - id) / 2n) + 1);
  return {
    posts,
    sealedMs: 0,
    numbers: { posts, idAt, firstNumberBelow, findNumber: () => null, close: () => {} },
    isKnownToLack: () => false,
    *matches(_query, range, _omitted, work) {
      const last = Math.min(range.to, posts);
      for (
        let chunk = Math.floor(range.from / postsPerChunk);
        chunk * postsPerChunk < last;
        chunk++
      ) {
        const start = chunk * postsPerChunk;
        work.containers += 1;
        const inChunk = numbers.filter((number) => Math.floor(number / postsPerChunk) === chunk);
        yield {
          chunk,
          set: setOf(inChunk.map((number) => number - start)),
          from: Math.max(0, range.from - start),
          to: Math.min(postsPerChunk, last - start),
        };
      }
    },
    close: () => {},
  };
}

function setOf(members: readonly number[]): ChunkSet {
  return listSet(Uint16Array.from(members.toSorted((a, b) => a - b)), members.length);
}

function findDelta(ids: readonly bigint[], max = Number.POSITIVE_INFINITY): DeltaLookup {
  const sorted = ids.toSorted((a, b) => (a > b ? -1 : 1));
  return ({ low, high }, limit) => {
    const inRange = sorted.filter((id) => id >= low && id <= high);
    const returned = inRange.slice(0, Math.min(limit, max));
    const isTruncated = returned.length === limit || returned.length < inRange.length;
    return { ids: returned, seenTo: isTruncated ? (returned.at(-1) ?? low) : low };
  };
}

const baseSources = { query: { kind: "every" } as const, omittedSet: () => null };

const numbers = fc.uniqueArray(
  fc.oneof(
    fc.integer({ min: 0, max: posts - 1 }),
    fc.integer({ min: 0, max: 40 }),
    fc.constantFrom(postsPerChunk - 1, postsPerChunk, 2 * postsPerChunk - 1, posts - 1),
  ),
  { maxLength: 60 },
);
const deltaIds = fc.uniqueArray(
  numbers.map(([number = 0]) => idAt(number) + 1n),
  { maxLength: 40 },
);

describe("candidates of both indexes", () => {
  test("each candidate of both indexes is returned once, newest first, for any batch size and wherever FTS5 stops", () => {
    const property = fc.property(
      numbers,
      deltaIds,
      fc.integer({ min: 1, max: 50 }),
      fc.integer({ min: 1, max: 10 }),
      (sealed, delta, target, max) => {
        const sources = { ...baseSources, index: makeIndex(sealed), delta: findDelta(delta, max) };
        const batches = [
          ...mergedCandidates(sources, everything, target, never, { containers: 0 }),
        ];
        const expected = [...sealed.map(idAt), ...delta].sort((a, b) => (a > b ? -1 : 1));
        expect(batches.flatMap(({ ids }) => ids)).toEqual(expected);
        expectNoGaps(batches, expected);
      },
    );
    fc.assert(property, {
      examples: [
        [[], [], 1, 1],
        [[0, posts - 1], [newest + 1n], 1, 1],
      ],
    });
  });

  test("candidates of both indexes are limited to the range", () => {
    const index = makeIndex([0, 1, 2, postsPerChunk, posts - 1]);
    const range = { low: idAt(postsPerChunk), high: idAt(1) };
    const delta = findDelta([newest + 1n, idAt(1) + 1n, idAt(1) - 1n, range.low - 1n]);
    const batches = [
      ...mergedCandidates({ ...baseSources, index, delta }, range, 100, never, { containers: 0 }),
    ];
    expect(batches.flatMap(({ ids }) => ids)).toEqual([
      idAt(1),
      idAt(1) - 1n,
      idAt(2),
      idAt(postsPerChunk),
    ]);
  });

  test("FTS5 is queried only down to the last candidate of a batch", () => {
    const index = makeIndex([...Array(500).keys()]);
    const ranges: unknown[] = [];
    const delta: DeltaLookup = (range, limit) => {
      ranges.push([range.low, limit]);
      return { ids: [], seenTo: range.low };
    };
    const work = { containers: 0 };
    const [first] = mergedCandidates({ ...baseSources, index, delta }, everything, 20, never, work);
    expect(first?.ids).toHaveLength(20);
    expect(ranges).toEqual([[idAt(20) + 1n, 20]]);
    expect(work.containers).toBe(1);
  });

  test("after the deadline, candidates are returned chunk by chunk, with the exact end of each batch", () => {
    const index = makeIndex([3, postsPerChunk + 3, 2 * postsPerChunk + 3]);
    const batches = [
      ...mergedCandidates({ ...baseSources, index, delta: null }, everything, 20, () => true, {
        containers: 0,
      }),
    ];
    expect(batches).toEqual([
      { ids: [idAt(3)], seenTo: idAt(postsPerChunk) + 1n },
      { ids: [idAt(postsPerChunk + 3)], seenTo: idAt(2 * postsPerChunk) + 1n },
      { ids: [idAt(2 * postsPerChunk + 3)], seenTo: 0n },
    ]);
  });
});

function expectNoGaps(batches: readonly CandidateBatch[], expected: readonly bigint[]): void {
  let high = everything.high;
  for (const { ids, seenTo } of batches) {
    expect(ids).toEqual(expected.filter((id) => id <= high && id >= seenTo));
    expect(seenTo <= high).toBe(true);
    high = seenTo - 1n;
  }
  expect(batches.at(-1)?.seenTo).toBe(0n);
}
