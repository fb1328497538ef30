import { Buffer } from "node:buffer";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  addTo,
  and,
  andNot,
  bitmapSet,
  type ChunkSet,
  computeRanks,
  countBetween,
  emptySet,
  listSet,
  or,
  popcount,
  readMembers,
} from "./chunk-set.ts";
import { minBitmapPosts, postsPerChunk, wordsPerBitmap } from "./format.ts";
import { createScratch } from "./scratch.ts";

type SetSpec = { count: number; first: number; step: number; form: "list" | "bitmap" };

const counts = [0, 1, 2, 31, 32, 33, 100, 4_094, 4_095, 4_096, 4_097, 65_535, 65_536];
const member = fc.integer({ min: 0, max: postsPerChunk - 1 });
const setSpec: fc.Arbitrary<SetSpec> = fc.record({
  count: fc.oneof(fc.constantFrom(...counts), fc.integer({ min: 0, max: 300 })),
  first: member,
  step: fc.oneof(
    fc.constant(1),
    fc.nat(32_767).map((half) => half * 2 + 1),
  ),
  form: fc.constantFrom("list" as const, "bitmap" as const),
});
const border = fc.oneof(
  fc.constantFrom(0, 1, 31, 32, 33, 63, 64, 65_504, 65_535, 65_536),
  fc.integer({ min: 0, max: postsPerChunk }),
);

function getFlags({ count, first, step }: SetSpec): Uint8Array {
  const flags = new Uint8Array(postsPerChunk);
  for (let n = 0; n < count; n++) flags[(first + n * step) % postsPerChunk] = 1;
  return flags;
}

function getNumbers(flags: Uint8Array, from = 0, to = postsPerChunk): Uint16Array {
  const numbers = new Uint16Array(postsPerChunk);
  let count = 0;
  for (let index = from; index < to; index++) if (flags[index] === 1) numbers[count++] = index;
  return numbers.subarray(0, count);
}

const otherNumbers = [60_000, 60_001, 65_535];

function setOf(spec: SetSpec): ChunkSet {
  const numbers = getNumbers(getFlags(spec));
  if (spec.form === "bitmap" || numbers.length >= minBitmapPosts)
    return getBitmap(numbers, spec.first);
  const list = Uint16Array.from([...otherNumbers, ...numbers, ...otherNumbers]);
  return listSet(list, numbers.length, otherNumbers.length, 0, spec.first);
}

function getBitmap(numbers: Iterable<number>, base: number): ChunkSet {
  const bits = new Uint32Array(wordsPerBitmap);
  let count = 0;
  for (const number of numbers) {
    bits[number >>> 5] = (bits[number >>> 5] ?? 0) | (1 << (number & 31));
    count += 1;
  }
  return bitmapSet(bits, count, 0, base);
}

function listMembers(set: ChunkSet): Uint16Array {
  const out = new Uint16Array(postsPerChunk);
  return out.subarray(0, readMembers(set, 0, postsPerChunk, out, postsPerChunk));
}

function hasMembers(set: ChunkSet, flags: Uint8Array): boolean {
  const found = listMembers(set);
  const expected = getNumbers(flags);
  const isBounded =
    set.list === null ? set.count >= expected.length : set.count === expected.length;
  return isBounded && Buffer.compare(makeBytes(found), makeBytes(expected)) === 0;
}

const makeBytes = ({ buffer, byteOffset, byteLength }: Uint16Array): Uint8Array =>
  new Uint8Array(buffer, byteOffset, byteLength);

const joined = (a: SetSpec, b: SetSpec, join: (a: number, b: number) => number): Uint8Array => {
  const [flags, right] = [getFlags(a), getFlags(b)];
  for (let index = 0; index < postsPerChunk; index++)
    flags[index] = join(flags[index] ?? 0, right[index] ?? 0);
  return flags;
};

const all = (form: SetSpec["form"] = "bitmap"): SetSpec => ({
  count: 65_536,
  first: 0,
  step: 1,
  form,
});
const few = (count: number, step = 1, first = 0): SetSpec => ({ count, first, step, form: "list" });
const none = few(0);
const borders: [SetSpec, SetSpec][] = [
  [none, none],
  [few(9), few(9)],
  [few(9), few(5)],
  [all(), few(9)],
  [all(), few(4_095, 16)],
  [few(4_095, 16), all()],
  [none, all()],
  [all(), all()],
  [few(4_095), few(4_095, 1, 4_094)],
  [few(4_095, 2), few(4_096)],
  [few(4_095, 3), few(4_095, 5)],
  [few(1, 1, 65_535), few(4_095, 1, 61_441)],
  [few(1, 1, 65_535), all()],
  [few(10, 6_553), few(4_095, 11)],
  [few(10, 6_553), few(241, 271)],
  [few(170, 385), few(4_095, 17)],
  [few(4_097), { ...few(4_095, 7), form: "bitmap" }],
];
const pairs = { examples: borders, numRuns: 60 };

describe("combining sets", () => {
  test("and() returns the common members of sets", () => {
    fc.assert(
      fc.property(setSpec, setSpec, (a, b) => {
        const found = and(setOf(a), setOf(b), createScratch());
        return hasMembers(
          found,
          joined(a, b, (left, right) => left & right),
        );
      }),
      pairs,
    );
  });

  test("or() returns the members of either set", () => {
    fc.assert(
      fc.property(setSpec, setSpec, (a, b) => {
        const found = or([setOf(a), setOf(b)], createScratch());
        return hasMembers(
          found,
          joined(a, b, (left, right) => left | right),
        );
      }),
      pairs,
    );
  });

  test("andNot() returns the members that are only in the first set", () => {
    fc.assert(
      fc.property(setSpec, setSpec, (a, b) => {
        const found = andNot(setOf(a), setOf(b), createScratch());
        return hasMembers(
          found,
          joined(a, b, (left, right) => left & ~right),
        );
      }),
      pairs,
    );
  });

  test("combining sets does not change the arguments", () => {
    fc.assert(
      fc.property(setSpec, setSpec, (a, b) => {
        const [left, right] = [setOf(a), setOf(b)];
        const scratch = createScratch();
        and(left, right, scratch);
        or([left, right], scratch);
        andNot(left, right, scratch);
        return hasMembers(left, getFlags(a)) && hasMembers(right, getFlags(b));
      }),
      pairs,
    );
  });

  test("results of combining sets can be combined again, even lists with sparse bitmaps", () => {
    fc.assert(
      fc.property(setSpec, setSpec, setSpec, (a, b, c) => {
        const scratch = createScratch();
        const intersection = and(or([setOf(a), setOf(b)], scratch), setOf(c), scratch);
        const difference = andNot(intersection, and(setOf(a), setOf(c), scratch), scratch);
        const third = getFlags(c);
        return hasMembers(
          difference,
          joined(b, a, (inB, inA) => inB & ~inA).map((flag, index) => flag & (third[index] ?? 0)),
        );
      }),
      { numRuns: 40 },
    );
  });

  test("combining a list ignores what follows its members", () => {
    const scratch = createScratch();
    const list = Uint16Array.of(1, 5, 9, 70);
    const part = listSet(list, 1, 1);
    const rest = listSet(list, 4);
    expect([...listMembers(andNot(rest, part, scratch))]).toEqual([1, 9, 70]);
    expect([...listMembers(and(rest, part, scratch))]).toEqual([5]);
    expect([...listMembers(or([part], scratch))]).toEqual([5]);
    expect(countBetween(part, 0, postsPerChunk)).toBe(1);
    const farther = listSet(Uint16Array.of(2, 70), 2);
    expect(and(listSet(list, 3), farther, scratch)).toBe(emptySet);
    expect([...listMembers(andNot(farther, listSet(list, 3), scratch))]).toEqual([2, 70]);
  });

  test("combining sets overwrites reused buffers", () => {
    const scratch = createScratch();
    for (let value = 0; value < 3; value++) scratch.acquire().bits.fill(0xffffffff);
    scratch.release(0);
    expect([...listMembers(or([setOf(few(3, 7))], scratch))]).toEqual([0, 7, 14]);
    const some = getBitmap([1, 2, 40_000], 0);
    expect([...listMembers(andNot(some, setOf(few(2)), scratch))]).toEqual([2, 40_000]);
    expect([...listMembers(and(some, getBitmap([2, 40_000], 0), scratch))]).toEqual([2, 40_000]);
  });

  test("empty sets can be combined", () => {
    const scratch = createScratch();
    expect(or([], scratch)).toBe(emptySet);
    expect(and(emptySet, setOf(all()), scratch)).toBe(emptySet);
    expect(andNot(setOf(few(9)), setOf(all()), scratch).count).toBe(0);
  });

  test("members of a list are added to a bitmap", () => {
    const bits = new Uint32Array(wordsPerBitmap).fill(1);
    addTo(bits, setOf(few(2, 1, 63)));
    expect([...bits.subarray(0, 4)]).toEqual([1, 0x80000001, 1, 1]);
  });
});

describe("members", () => {
  test("the members of a set within a range are written and counted", () => {
    fc.assert(
      fc.property(setSpec, border, border, (spec, from, to) => {
        const set = setOf(spec);
        const expected = getNumbers(getFlags(spec), from, to);
        const out = new Uint16Array(postsPerChunk);
        const count = readMembers(set, from, to, out, postsPerChunk);
        expect(countBetween(set, from, to)).toBe(expected.length);
        expect(count).toBe(expected.length);
        return expected.every((number, index) => out[index] === number);
      }),
      {
        examples: [all(), few(4_095), few(4_095, 16)].flatMap(
          (spec): [SetSpec, number, number][] => [
            [spec, 0, 65_536],
            [spec, 33, 63],
            [spec, 32, 64],
            [spec, 5, 7],
            [spec, 7, 5],
            [spec, 65_535, 65_536],
          ],
        ),
        numRuns: 60,
      },
    );
  });

  test("at most the requested number of members of a set are written", () => {
    fc.assert(
      fc.property(setSpec, fc.nat(100), (spec, max) => {
        const out = new Uint16Array(postsPerChunk).fill(7);
        const count = readMembers(setOf(spec), 0, postsPerChunk, out, max);
        expect([...out.subarray(0, count)]).toEqual([
          ...getNumbers(getFlags(spec)).subarray(0, max),
        ]);
        return out[count] === 7;
      }),
      {
        examples: [
          [all(), 0],
          [few(9), 9],
          [few(9), 8],
          [all(), 40],
        ],
        numRuns: 50,
      },
    );
  });

  test("the rank of a member is its index in the set plus the base", () => {
    fc.assert(
      fc.property(setSpec, fc.integer({ min: 1, max: 5_000 }), (spec, every) => {
        const set = setOf(spec);
        const requestedMembers = listMembers(set).filter((_, rank) => rank % every === every - 1);
        const out = new Uint32Array(requestedMembers.length);
        computeRanks(set, requestedMembers, requestedMembers.length, out);
        return out.every((rank, index) => rank === set.base + every - 1 + index * every);
      }),
      {
        examples: [
          [all(), 1],
          [all(), 33],
          [few(4_095, 3), 1],
          [few(4_096, 3), 7],
        ],
        numRuns: 40,
      },
    );
  });
});

test("popcount() returns the number of set bits", () => {
  const words = [0, 1, -1, 0x80000000, 0x7fffffff, 0x55555555, 0xf0f0f0f0 | 0];
  fc.assert(
    fc.property(fc.integer(), (word) => {
      return popcount(word) === [...(word >>> 0).toString(2)].filter((bit) => bit === "1").length;
    }),
    { examples: words.map((word): [number] => [word]) },
  );
});
