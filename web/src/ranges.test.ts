import { expect, test } from "vitest";
import { axisLabels, rangeOf } from "./ranges.ts";

const dayMs = 86_400_000;
const toMs = Date.UTC(2026, 10, 21, 10);

test("the labels of an axis stand equally far apart, and the last is now", () => {
  expect(axisLabels("24h", toMs - dayMs, toMs)).toHaveLength(7);
  expect(axisLabels("7d", toMs - 7 * dayMs, toMs)).toHaveLength(8);
  expect(axisLabels("30d", toMs - 30 * dayMs, toMs)).toHaveLength(7);
  expect(axisLabels("7d", toMs - 7 * dayMs, toMs).at(-1)).toBe("now");
});

test("the month is told where it begins or changes", () => {
  const labels = axisLabels("30d", toMs - 30 * dayMs, toMs);
  expect(labels.filter((label) => /[a-z]/i.test(label))).toHaveLength(3);
});

test("what is no range is the usual one", () => {
  expect([rangeOf("30d", "7d"), rangeOf("1y", "7d"), rangeOf(null, "24h")]).toEqual([
    "30d",
    "7d",
    "24h",
  ]);
});
