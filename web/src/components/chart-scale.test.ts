import { expect, test } from "vitest";
import { isolatedIndices, magnitudes, powersOfTen } from "./uplot-options.ts";

test("isolated values in a chart are found", () => {
  expect(isolatedIndices([1, null, 2, null, null, 3, 4])).toEqual([0, 2]);
});

test("the scale of a chart is between powers of ten", () => {
  expect(magnitudes(38, 45_000)).toEqual([10, 100_000]);
  expect(magnitudes(1, 1)).toEqual([1, 10]);
  expect(powersOfTen(10, 100_000)).toEqual([10, 100, 1_000, 10_000, 100_000]);
});
