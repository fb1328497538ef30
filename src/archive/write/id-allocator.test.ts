import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { hashNumber, lastInMillisecond, lowestId } from "../../posts/ids.ts";
import { numberMillisecond } from "../catalog/other-ids.ts";
import { createIdAllocator, type IdAllocator, type StoredIds } from "./id-allocator.ts";

const low = lowestId(Date.UTC(2026, 0, 1));
const last = lastInMillisecond(low) - low;

function hashWith(number: bigint, rest: number): string {
  const bits = (number << 10n) | BigInt(rest);
  return bits.toString(16).padStart(8, "0").padEnd(32, "0");
}

type Stored = Map<bigint, string | null>;

function createAllocator(stored: Stored): IdAllocator {
  const ids = (): bigint[] => [...stored.keys()].sort((a, b) => (a < b ? -1 : 1));
  const within = (from: bigint, to: bigint): bigint[] =>
    ids().filter((id) => id >= from && id <= to);
  const lookUp: StoredIds = {
    lowest: (from, to) => within(from, to)[0] ?? null,
    highest: (from, to) => within(from, to).at(-1) ?? null,
    findUriHash: (id) => stored.get(id) ?? null,
    isOrdered: () => true,
  };
  return createIdAllocator(lookUp);
}

function store(stored: Stored, hashes: readonly string[], fixedIds: readonly bigint[] = []): void {
  const allocator = createAllocator(stored);
  const keys = hashes.map((hash) => ({ hash }));
  const fixedKeys = fixedIds.map((id) => ({ id }));
  for (const key of fixedKeys) allocator.insertFixed(key, key.id);
  for (const key of keys) allocator.insert(key, low | hashNumber(key.hash), key.hash);
  for (const { from, to } of allocator.moves()) {
    expect(stored.has(from)).toBe(true);
    expect(stored.has(to)).toBe(false);
    stored.set(to, stored.get(from) ?? null);
    stored.delete(from);
  }
  for (const key of keys) {
    expect(stored.has(allocator.assignedId(key))).toBe(false);
    stored.set(allocator.assignedId(key), key.hash);
  }
  for (const { id } of fixedKeys) stored.set(id, null);
}

const listNumbers = (stored: Stored): [string, bigint][] =>
  [...stored]
    .flatMap(([id, hash]): [string, bigint][] => (hash === null ? [] : [[hash, id - low]]))
    .sort(([a], [b]) => (a < b ? -1 : 1));

function expectedNumbers(hashes: readonly string[], fixed: readonly bigint[]): [string, bigint][] {
  const posts = hashes.map((uriHash, index) => ({ id: BigInt(index), uriHash }));
  const ids = numberMillisecond(low, posts, new Set(fixed));
  return posts
    .map(({ id, uriHash }): [string, bigint] => [uriHash, (ids.get(id) ?? 0n) - low])
    .sort(([a], [b]) => (a < b ? -1 : 1));
}

const numbers = fc
  .tuple(fc.constantFrom(1_000n, last - 12n), fc.integer({ min: 0, max: 12 }))
  .map(([from, more]) => from + BigInt(more));
const hashes = fc
  .uniqueArray(fc.tuple(numbers, fc.nat({ max: 1_023 })), {
    minLength: 1,
    maxLength: 40,
    selector: ([number, rest]) => `${number} ${rest}`,
  })
  .map((all) => all.map(([number, rest]) => hashWith(number, rest)));

describe("posts in the same millisecond", () => {
  test("posts in the same millisecond get the same numbers in any order and in any batches", () => {
    const batches = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 40, maxLength: 40 });
    fc.assert(
      fc.property(hashes, batches, (all, sizes) => {
        const stored: Stored = new Map();
        let start = 0;
        for (const size of sizes) {
          store(stored, all.slice(start, start + size));
          start += size;
        }
        expect(listNumbers(stored)).toEqual(expectedNumbers(all, []));
      }),
      { numRuns: 300 },
    );
  });

  test("posts in the same millisecond are numbered in hash order, by the numbers of their hashes if those are distinct", () => {
    fc.assert(
      fc.property(hashes, (all) => {
        const numbered = expectedNumbers(all, []);
        const ids = numbered.map(([, number]) => number);
        expect(ids).toEqual([...new Set(ids)].sort((a, b) => (a < b ? -1 : 1)));
        for (const number of ids) expect(number >= 0n && number <= last).toBe(true);
        const counts = Map.groupBy(all, hashNumber);
        if (counts.size === all.length) {
          expect(ids).toEqual(numbered.map(([hash]) => hashNumber(hash)));
        }
      }),
    );
  });

  test("posts in the same millisecond are numbered in hash order around posts with fixed numbers", () => {
    const fixed = fc.uniqueArray(numbers, { maxLength: 6 });
    fc.assert(
      fc.property(hashes, fixed, fc.boolean(), (all, fixedNumbers, isLate) => {
        const ids = fixedNumbers.map((number) => low | number);
        const stored: Stored = new Map();
        if (!isLate) store(stored, [], ids);
        for (const hash of all) store(stored, [hash]);
        if (isLate) store(stored, [], ids);
        const numbered = listNumbers(stored);
        expect(numbered.map(([hash]) => hash)).toEqual([...all].sort());
        const usedNumbers = numbered.map(([, number]) => number);
        expect(usedNumbers).toEqual([...new Set(usedNumbers)].sort((a, b) => (a < b ? -1 : 1)));
        for (const number of fixedNumbers) expect(usedNumbers).not.toContain(number);
      }),
    );
  });

  test("posts in the same millisecond stay in hash order when one is deleted and others are added", () => {
    fc.assert(
      fc.property(hashes, hashes, fc.nat(), (all, later, index) => {
        const stored: Stored = new Map();
        store(stored, all);
        const removedId = [...stored.keys()][index % stored.size] ?? 0n;
        stored.delete(removedId);
        const previousHashes = new Set([...stored.values(), ...all]);
        store(
          stored,
          later.filter((hash) => !previousHashes.has(hash)),
        );
        const order = listNumbers(stored).map(([, number]) => number);
        expect(order).toEqual([...new Set(order)].sort((a, b) => (a < b ? -1 : 1)));
      }),
    );
  });

  test("posts in the same millisecond that share a number do not move posts beyond their run", () => {
    const stored: Stored = new Map();
    store(stored, [hashWith(500n, 1), hashWith(600n, 1)]);
    const allocator = createAllocator(stored);
    for (let rest = 2; rest < 40; rest += 1) allocator.insert({}, low | 500n, hashWith(500n, rest));
    expect(allocator.moves()).toEqual([]);
  });
});
