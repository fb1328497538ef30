import { expect, test } from "vitest";
import {
  ageFigure,
  axisNumber,
  bytesText,
  durationText,
  lagText,
  percentFigure,
  quantityText,
  shortNumber,
  spanDurationText,
} from "./numbers.ts";

test("numbers below a million are formatted in full, and larger ones with three significant digits and a unit", () => {
  expect(shortNumber(48_210)).toEqual({ value: "48,210", unit: "" });
  expect(shortNumber(38_210_000)).toEqual({ value: "38.2", unit: "M" });
});

test("axis labels are formatted with few digits", () => {
  expect([0, 500, 1_500, 2_000_000].map(axisNumber)).toEqual(["0", "500", "1.5k", "2M"]);
});

test("sizes are formatted in powers of a thousand", () => {
  expect([0, 999, 14_600_000_000].map(bytesText)).toEqual(["0 B", "999 B", "14.6 GB"]);
});

test("durations are formatted in a suitable unit", () => {
  expect([0.4, 38, 1_400, 100_000, 9_000_000].map(durationText)).toEqual([
    "0 ms",
    "38 ms",
    "1.4 s",
    "100 s",
    "2.5 h",
  ]);
});

test("lags are formatted in tenths of a second below ten seconds, and in whole units from there", () => {
  expect([0, 161, 1_400, 9_960, 14_600, 180_000].map(lagText)).toEqual([
    "0.0 s",
    "0.2 s",
    "1.4 s",
    "10 s",
    "15 s",
    "3 min",
  ]);
});

test("ages are formatted in whole units", () => {
  const figures = [-5_000, 161, 74_400, 265_200, 9_000_000, 180_000_000].map(ageFigure);
  expect(figures.map(({ value, unit }) => `${value} ${unit}`)).toEqual([
    "0 s",
    "0 s",
    "74 s",
    "4 min",
    "3 h",
    "2 days",
  ]);
});

test("spans are formatted in their two largest units", () => {
  expect(spanDurationText(0)).toBe("0 s");
  expect(spanDurationText(37 * 60_000)).toBe("37 min");
  expect(spanDurationText((5 * 60 + 29) * 60_000)).toBe("5 h 29 min");
  expect(spanDurationText(86_400_000 + 30_000)).toBe("1 day");
  expect(spanDurationText(3 * 86_400_000)).toBe("3 days");
});

test("percentages are formatted with two significant digits, and a share of nothing is zero", () => {
  expect(percentFigure(0, 0)).toEqual({ value: "0", unit: "%" });
  expect(percentFigure(21, 10_000)).toEqual({ value: "0.21", unit: "%" });
});

test("a count selects the singular or the plural", () => {
  expect([quantityText(1, "gap"), quantityText(2, "gap"), quantityText(0, "was", "were")]).toEqual([
    "1 gap",
    "2 gaps",
    "0 were",
  ]);
});
