import fc from "fast-check";
import { expect, test } from "vitest";
import { testRuns } from "../../../testkit/seed.ts";
import { createTermTable } from "./term-table.ts";

const term = fc.oneof(
  fc.string({ minLength: 1, maxLength: 12, unit: fc.constantFrom("a", "b", "é", "東", "👍") }),
  fc.nat(400).map((n) => `from:x:account-number-${n}`),
  fc.nat(90).map((n) => `word${n}`),
);

test("the numbers of terms are sorted by the terms' UTF-8 bytes", () => {
  fc.assert(
    fc.property(fc.array(term, { maxLength: 2_000 }), (terms) => {
      const table = createTermTable("key");
      const numbers = new Map<string, number>();
      for (const text of terms) {
        const bytes = Buffer.from(` ${text} `);
        const number = table.termNumber(bytes, 1, bytes.length - 1);
        expect(numbers.get(text) ?? number).toBe(number);
        numbers.set(text, number);
      }
      expect(table.termCount()).toBe(numbers.size);
      const { bytes, starts } = table.text();
      const formatText = (number: number): string =>
        Buffer.from(bytes.subarray(starts[number], starts[number + 1])).toString();
      const expected = [...numbers.keys()].toSorted((a, b) =>
        Buffer.compare(Buffer.from(a), Buffer.from(b)),
      );
      expect([...table.sortedNumbers()].map(formatText)).toEqual(expected);
    }),
    { numRuns: testRuns(20) },
  );
});

test("looking up thousands of terms again returns the same numbers", () => {
  const table = createTermTable("key");
  const computeNumber = (n: number): number => {
    const bytes = Buffer.from(`term${n}`);
    return table.termNumber(bytes, 0, bytes.length);
  };
  const numbers = Array.from({ length: 50_000 }, (_, n) => computeNumber(n));
  expect(new Set(numbers).size).toBe(50_000);
  expect(Array.from({ length: 50_000 }, (_, n) => computeNumber(n))).toEqual(numbers);
});
