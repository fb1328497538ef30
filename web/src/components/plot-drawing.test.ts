import { expect, test } from "vitest";
import { areaPath, linePath, roundTop } from "./plot-drawing.ts";

test("a plotted line breaks at nulls, and a single value is drawn as a short line", () => {
  expect(linePath([0, 5, null, 10], 10)).toBe("M5 100L15 50M33 0h4");
});

test("a plotted area is closed along the base line", () => {
  expect(areaPath([5, 10], 10)).toBe("M5 100L5 50L15 0V100z");
  expect(areaPath([null, 10], 10)).toBe("");
});

test("the upper bound of a plot is rounded so that half of it is round too", () => {
  expect([1, 3, 5, 9, 180, 0.3].map((max) => roundTop([max, null]))).toEqual([2, 4, 6, 10, 200, 2]);
});
