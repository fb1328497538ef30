import { expect, test } from "vitest";
import { roundSteps } from "./time-steps.ts";

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

test("a window is cut at round times, with shorter steps at its ends", () => {
  const window = { fromMs: 30 * minuteMs, toMs: 5.5 * hourMs };
  const starts = roundSteps(window, 5).map(({ fromMs }) => fromMs / hourMs);
  expect(starts).toEqual([0.5, 1, 2, 3, 4, 5]);
  expect(roundSteps(window, 5).at(-1)?.toMs).toBe(window.toMs);
});

test("the steps in a window are not shorter than a minute", () => {
  expect(roundSteps({ fromMs: 0, toMs: 2 * minuteMs }, 96)).toHaveLength(2);
});
