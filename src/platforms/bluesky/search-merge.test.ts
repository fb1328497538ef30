import fc from "fast-check";
import { expect, test } from "vitest";
import {
  type AlternativePage,
  firstMergePositions,
  mergeNewest,
  readMergePositions,
  writeMergePositions,
} from "./search-merge.ts";

type Entry = { timeMs: number; key: string; item: number };

function pageAt(
  all: readonly Entry[],
  cursor: string | null,
  size: number,
): AlternativePage<number> {
  const start = Number(cursor ?? 0);
  const items = all.slice(start, start + size);
  return { items, cursor: start + size < all.length ? String(start + size) : null };
}

function readAll(alternatives: readonly (readonly Entry[])[], size: number): number[][] {
  const pages: number[][] = [];
  let positions = firstMergePositions(alternatives.length);
  for (let round = 0; round < 1_000; round += 1) {
    const parts = alternatives.map((all, index) => {
      const position = positions.positions[index];
      return position === undefined || position.isAtEnd ? null : pageAt(all, position.cursor, size);
    });
    const { items, nextPositions } = mergeNewest(positions, parts);
    pages.push([...items]);
    if (nextPositions === null) return pages;
    const readBack = readMergePositions(writeMergePositions(nextPositions), alternatives.length);
    if (readBack === null) throw new Error("the positions could not be read back");
    positions = readBack;
  }
  throw new Error("the pages never end");
}

const timesArbitrary = fc.array(fc.integer({ min: 0, max: 40 }), { maxLength: 30 });

test("pages of several alternatives are merged, newest first, without losing posts", () => {
  fc.assert(
    fc.property(
      fc.array(timesArbitrary, { minLength: 1, maxLength: 4 }),
      fc.integer({ min: 1, max: 8 }),
      (lists, size) => {
        const alternatives = lists.map((times, list) =>
          times
            .map((timeMs, index) => {
              // At every third index, equal times mean the same post.
              const key = index % 3 === 0 ? `shared ${timeMs}` : `${list} ${index}`;
              return { timeMs, key, item: timeMs };
            })
            .sort((a, b) => b.timeMs - a.timeMs),
        );
        const times = readAll(alternatives, size).flat();
        expect(times).toEqual([...times].sort((a, b) => b - a));
        const keys = new Set(alternatives.flat().map(({ key }) => key));
        expect(new Set(times)).toEqual(new Set(alternatives.flat().map(({ timeMs }) => timeMs)));
        expect(times.length).toBeGreaterThanOrEqual(keys.size);
      },
    ),
  );
});

test("items older than the end of another page wait for that alternative's next page", () => {
  const at = (key: string, ...times: number[]): Entry[] =>
    times.map((timeMs) => ({ timeMs, key: `${key}${timeMs}`, item: timeMs }));
  const pages = readAll([at("a", 9, 8, 7, 6, 5, 4), at("b", 8, 1)], 3);
  expect(pages).toEqual([
    [9, 8, 8, 7],
    [6, 5, 4, 1],
  ]);
});

test("an empty page that has a next page does not stop the other alternatives", () => {
  const { items, nextPositions } = mergeNewest(firstMergePositions(2), [
    { items: [], cursor: "more" },
    { items: [{ timeMs: 5, key: "a", item: 5 }], cursor: null },
  ]);
  expect(items).toEqual([5]);
  expect(nextPositions?.positions.map(({ cursor, isAtEnd }) => [cursor, isAtEnd])).toEqual([
    ["more", false],
    [null, true],
  ]);
});

test("merge positions that belong to another search, or are malformed, are rejected", () => {
  const written = writeMergePositions(firstMergePositions(2));
  expect(readMergePositions(written, 2)).toEqual(firstMergePositions(2));
  for (const text of [written, "", "{}", "[", "null", "[1,2,3,4]"]) {
    expect(readMergePositions(text, 1)).toBeNull();
  }
});
