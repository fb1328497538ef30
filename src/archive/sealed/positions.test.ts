import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { positionsRow } from "../../../testkit/archives/sealed-tables.ts";
import { SealedDamageError } from "./damage.ts";
import {
  lastPositionFlag,
  listedPositions,
  listMarker,
  occursAt,
  occursTwice,
  rankStart,
  readPositions,
} from "./positions.ts";

const position = fc.oneof(
  fc.nat(20),
  fc.constantFrom(254, 255, 256, 32_766, 32_767, 32_768, 65_536, 2 ** 31 - 1),
);
const postPositions = fc.oneof(
  fc.array(position, { minLength: 1, maxLength: 3 }),
  fc.array(fc.nat(60), { minLength: 10, maxLength: 40 }),
);
const posts = fc.array(
  postPositions.map((positions) => [...new Set(positions)].sort((a, b) => a - b)),
  { minLength: 1, maxLength: 30 },
);

const upTo = (count: number): number[] => Array.from({ length: count }, (_, index) => index);
const examples: [number[][]][] = [
  [[[0]]],
  [[[254], [255], [256]]],
  [[[0, 1], [5], [0, 32_767]]],
  [[[0, 1], [5], [0, 32_768]]],
  [[upTo(12), [12, 13]]],
  [[upTo(13), [13, 14], [3]]],
  [[[3], upTo(14), [14, 15]]],
  [[[1, 3], [4, 7], [8]]],
];

const hasDouble = (positions: readonly number[]): boolean =>
  positions.some((other, index) => positions[index + 1] === other + 1);

const aligned = (row: Uint8Array): Uint8Array => new Uint8Array(row);

describe("the positions of a term", () => {
  test("a term is found in each post at exactly the positions in its row", () => {
    fc.assert(
      fc.property(posts, (all) => {
        const positions = readPositions(aligned(positionsRow(all)), all.length);
        const requestedPositions = new Set(
          all.flat().flatMap((value) => [value, value + 1, Math.max(0, value - 1)]),
        );
        for (const [rank, locations] of all.entries()) {
          const found = [...requestedPositions].filter((value) => occursAt(positions, rank, value));
          expect(found.sort((a, b) => a - b)).toEqual(locations);
          expect(occursTwice(positions, rank)).toBe(hasDouble(locations));
        }
      }),
      { examples, numRuns: 60 },
    );
  });

  test("a term is found at its positions if posts are read in any order", () => {
    fc.assert(
      fc.property(posts, fc.infiniteStream(fc.nat()), (all, order) => {
        const positions = readPositions(aligned(positionsRow(all)), all.length);
        for (const random of order.take(40)) {
          const rank = random % all.length;
          expect(occursAt(positions, rank, all[rank]?.at(-1) ?? -1)).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  test("a term is found at its positions in lists built in memory", () => {
    fc.assert(
      fc.property(posts, (all) => {
        const starts = all.map((_, rank) => all.slice(0, rank).flat().length);
        const list = all.flatMap((positions) =>
          positions.map(
            (other, index) => other + (index === positions.length - 1 ? lastPositionFlag : 0),
          ),
        );
        const builtPositions = listedPositions(Uint32Array.from(starts), Uint32Array.from(list));
        for (const [rank, positions] of all.entries()) {
          expect(builtPositions.bytes[rank]).toBe(listMarker);
          expect(rankStart(builtPositions, rank)).toBe(starts[rank]);
          const found = upTo(60).filter((value) => occursAt(builtPositions, rank, value));
          expect(found).toEqual(positions.filter((other) => other < 60));
          expect(occursTwice(builtPositions, rank)).toBe(hasDouble(positions));
        }
      }),
      { examples, numRuns: 50 },
    );
  });
});

describe("an inconsistent row of positions", () => {
  const row = (): Uint8Array => aligned(positionsRow([[4], [1, 2], [300]]));
  const words = (bytes: Uint8Array): Uint16Array => new Uint16Array(bytes.buffer, 8, 7);

  test.each<[string, Uint8Array]>([
    ["is too short", row().slice(0, -1)],
    ["is longer than its table specifies", aligned(Uint8Array.from([...row(), 0]))],
    ["has no table", new Uint8Array(2)],
    ["has an empty table", new Uint8Array(11)],
  ])("a row of positions is rejected if it %s", (_name, bytes) => {
    expect(() => readPositions(bytes, 3)).toThrow(SealedDamageError);
  });

  test("a row of positions is rejected if its list does not end", () => {
    const bytes = row();
    words(bytes)[6] = 300;
    expect(() => readPositions(bytes, 3)).toThrow(SealedDamageError);
  });

  test("a row of positions is rejected if it has fewer positions than posts", () => {
    const bytes = row();
    new Uint32Array(bytes.buffer, 0, 2).set([3, 1]);
    expect(() => readPositions(bytes, 3)).toThrow(SealedDamageError);
  });

  test("a row of positions is rejected if it lacks the requested post", () => {
    const bytes = row();
    words(bytes)[0] = 0;
    expect(() => occursAt(readPositions(bytes, 3), 1, 1)).toThrow(SealedDamageError);
  });

  test("a row of positions is rejected if a post starts beyond the list", () => {
    const bytes = row();
    words(bytes)[2] = 3;
    expect(() => occursAt(readPositions(bytes, 3), 1, 1)).toThrow(SealedDamageError);
  });

  test("a row of positions is rejected if a long list ends before its start", () => {
    const bytes = aligned(positionsRow([upTo(20), [1, 2]]));
    new Uint16Array(bytes.buffer, 8, 4)[3] = 5;
    expect(() => occursAt(readPositions(bytes, 2), 0, 19)).toThrow(SealedDamageError);
  });
});
