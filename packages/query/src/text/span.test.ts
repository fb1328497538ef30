import fc from "fast-check";
import { expect, test } from "vitest";
import { spansStartingOutside, type TextSpan } from "./span.ts";

const inOrder = (starts: readonly number[]): TextSpan[] =>
  [...starts].sort((a, b) => a - b).map((start) => ({ start, end: start + 3 }));
const apart = (spans: readonly TextSpan[]): TextSpan[] =>
  spans.filter(({ start }, index) => index === 0 || start >= (spans[index - 1]?.end ?? 0));

test("the spans found to begin outside of others are those that a comparison of all pairs finds", () => {
  const starts = fc.array(fc.nat(60), { maxLength: 20 });
  fc.assert(
    fc.property(starts, starts, (first, second) => {
      const spans = inOrder(first);
      const covers = apart(inOrder([...new Set(second)]));
      const expected = spans.filter(
        ({ start }) => !covers.some((cover) => cover.start <= start && start < cover.end),
      );
      expect(spansStartingOutside(spans, covers)).toEqual(expected);
    }),
  );
});

test("finding the spans that begin outside of others visits each span a bounded number of times", () => {
  let reads = 0;
  const counting = (start: number): TextSpan => ({
    get start() {
      reads += 1;
      return start;
    },
    end: start + 3,
  });
  const spans = Array.from({ length: 1_000 }, (_unused, index) => counting(10 * index + 5));
  const covers = Array.from({ length: 1_000 }, (_unused, index) => counting(10 * index));
  expect(spansStartingOutside(spans, covers)).toHaveLength(1_000);
  expect(reads).toBeLessThanOrEqual(4_000);
});
