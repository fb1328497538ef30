import { expect, test } from "vitest";
import { axisLabels, parseRange } from "./ranges.ts";

const dayMs = 86_400_000;
const toMs = Date.UTC(2026, 10, 21, 10);

test("a range has seven or eight axis labels, the last of which is now", () => {
  expect(axisLabels("24h", toMs - dayMs, toMs)).toHaveLength(7);
  expect(axisLabels("7d", toMs - 7 * dayMs, toMs)).toHaveLength(8);
  expect(axisLabels("30d", toMs - 30 * dayMs, toMs)).toHaveLength(7);
  expect(axisLabels("7d", toMs - 7 * dayMs, toMs).at(-1)).toBe("now");
});

test("the axis labels of a range name the month at the start and where it changes", () => {
  const labels = axisLabels("30d", toMs - 30 * dayMs, toMs);
  expect(labels.filter((label) => /[a-z]/i.test(label))).toHaveLength(3);
});

test("an invalid range falls back to the default", () => {
  expect([parseRange("30d", "7d"), parseRange("1y", "7d"), parseRange(null, "24h")]).toEqual([
    "30d",
    "7d",
    "24h",
  ]);
});
