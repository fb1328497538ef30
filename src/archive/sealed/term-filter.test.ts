import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { SealedDamageError } from "./damage.ts";
import { sealedMigrations } from "./format.ts";
import { createTermFilter, mayContain, readTermFilter, writeTermFilter } from "./term-filter.ts";

const listWords = (language: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${language}${index.toString(36)}é`);

function getFilter(words: readonly string[]) {
  const filter = createTermFilter();
  for (const word of words) {
    const bytes = Buffer.from(word);
    filter.add({ bytes, length: bytes.length });
  }
  return filter.end();
}

function openSegment(): DatabaseSync {
  const segment = new DatabaseSync(":memory:");
  segment.exec(sealedMigrations.join(""));
  return segment;
}

test.each([1, 2, 100, 50_000])(
  "the term filter passes each of its %i terms and few others",
  (count) => {
    const words = listWords("w", count);
    const filter = getFilter(words);
    expect(filter.length).toBe(Math.ceil((count * 6) / 8));
    expect(words.filter((word) => !mayContain(filter, word))).toEqual([]);
    const others = listWords("o", 20_000).filter((word) => mayContain(filter, word));
    if (count > 100) expect(others.length).toBeLessThan(20_000 / 15);
  },
);

test("the term filter of a segment without terms lacks every term", () => {
  expect(mayContain(getFilter([]), "word")).toBe(false);
});

test("the term filter is read as it was written, and is optional", () => {
  const segment = openSegment();
  expect(readTermFilter(segment, 7)).toBeNull();
  const filter = getFilter(["one", "two"]);
  writeTermFilter(segment, 7, filter);
  expect(readTermFilter(segment, 7)).toEqual(filter);
});

test.each([
  ["a flipped bit", "UPDATE sealed_filter SET bits = x'01' || substr(bits, 2)"],
  ["missing bytes", "UPDATE sealed_filter SET bits = x''"],
  ["a wrong type", "UPDATE sealed_filter SET bits = 'text'"],
  ["a wrong checksum", "UPDATE sealed_filter SET sum = 1"],
])("a term filter with %s is reported as damage", (_, change) => {
  const segment = openSegment();
  writeTermFilter(segment, 7, getFilter(["one", "two"]));
  segment.exec(change);
  expect(() => readTermFilter(segment, 7)).toThrow(SealedDamageError);
});
