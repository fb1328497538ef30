import { expect, test } from "vitest";
import { traceLabel } from "./coverage-text.ts";

test("a trace's text alternative lists at most five gaps", () => {
  const hourMs = 3_600_000;
  const gaps = [1, 3, 5, 7, 9, 11, 13].map((hour) => ({
    fromMs: hour * hourMs,
    toMs: (hour + 1) * hourMs,
  }));
  expect(traceLabel("Bluesky", { held: [], gaps }, "7 days")).toMatch(
    /^Bluesky: 7 gaps in 7 days, .*, and 2 more$/,
  );
  expect(traceLabel("X", { held: [], gaps: [] }, "7 days")).toBe("X: nothing archived in 7 days");
});
