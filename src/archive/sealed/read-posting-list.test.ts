import { describe, expect, test } from "vitest";
import { SealedDamageError } from "./damage.ts";
import { bytesPerBitmap } from "./format.ts";
import { occursAt } from "./positions.ts";
import type { PostingRows } from "./posting-list.ts";
import { readPostingList } from "./read-posting-list.ts";

const rows: PostingRows = {
  posts: 66_000,
  docs: () => new Uint8Array(bytesPerBitmap),
  positions: () => new Uint8Array(0),
};

const makeEntry = (posts: number, rest: readonly number[], isPositional = true) => ({
  posts,
  isPositional,
  body: Uint8Array.from(rest),
});
const read = (posts: number, rest: readonly number[], isPositional = true) =>
  readPostingList(makeEntry(posts, rest, isPositional), rows, () => {});

const secondChunkDelta = [0xc0, 0x80, 0x04];

describe("a posting list in the dictionary", () => {
  test("a posting list in the dictionary returns its posts by chunk, and the positions in them", () => {
    const list = read(3, [5, 1, ...secondChunkDelta, 8, 3, 2, 0]);
    expect([...list.counts]).toEqual([2, 1]);
    expect(list.set(0)).toMatchObject({ start: 0, count: 2, base: 0 });
    expect([...(list.set(0).list ?? [])]).toEqual([5, 6, 70]);
    expect(list.set(1)).toMatchObject({ start: 2, count: 1, base: 2 });
    const positions = list.positions(list.set(1));
    expect(occursAt(positions, 0, 4)).toBe(true);
    expect(occursAt(positions, 1, 1)).toBe(true);
    expect(occursAt(positions, 1, 2)).toBe(true);
    expect(occursAt(positions, 2, 0)).toBe(true);
    expect(occursAt(positions, 2, 1)).toBe(false);
  });

  test.each<[string, number, number[]]>([
    ["contains a post twice", 2, [5, 0, 0, 0]],
    ["contains a nonexistent post", 1, [0xd0, 0x83, 0x04, 0]],
    ["is truncated", 2, [5]],
  ])("a posting list in the dictionary is rejected if it %s", (_name, posts, rest) => {
    expect(() => read(posts, rest)).toThrow(SealedDamageError);
  });

  test.each<[string, number[]]>([
    ["repeat a position", [5, 3, 0]],
    ["are truncated", [5, 3]],
    ["are too large", [5, 0x80, 0x80, 0x80, 0x80, 0x10]],
  ])("a posting list in the dictionary is rejected if its positions %s", (_name, rest) => {
    const list = read(1, rest);
    expect(() => list.positions(list.set(0))).toThrow(SealedDamageError);
  });

  test("a posting list in the dictionary has no positions if the term has none", () => {
    const list = read(1, [5], false);
    expect(() => list.positions(list.set(0))).toThrow("without positions");
  });
});

describe("a posting list in rows", () => {
  test.each<[string, number, number[]]>([
    ["whose posts per chunk do not add up", 80, [1, 40, 39]],
    ["with more posts in a chunk than there are", 465, [1, 0, 0xd1, 0x03]],
    ["that is truncated", 80, [1, 80]],
  ])("a posting list in rows %s is rejected", (_name, posts, rest) => {
    expect(() => read(posts, rest)).toThrow(SealedDamageError);
  });

  test.each<[string, number, number[]]>([
    ["in one row", 80, [1, 40, 40]],
    ["in one row per chunk", 9_000, [1, 0xa8, 0x46, 0]],
  ])("a posting list %s is rejected if its rows have other posts", (_name, posts, rest) => {
    expect(() => read(posts, rest).set(0)).toThrow(SealedDamageError);
  });
});
