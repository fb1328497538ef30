import { expect, test } from "vitest";
import { maxPauseMs, pauseAfter } from "./schedule.ts";

const zero = () => 0;
const almostOne = () => 0.999_999;

test("a delivery's ten attempts have the recommended delays", () => {
  const pauses = Array.from({ length: 10 }, (_, index) => pauseAfter(index + 1, null, zero));
  expect(pauses.map((ms) => ms && ms / 1_000)).toEqual([
    5,
    300,
    1_800,
    7_200,
    18_000,
    36_000,
    50_400,
    72_000,
    86_400,
    null,
  ]);
});

test("random jitter extends an attempt's delay by up to a fifth", () => {
  expect(pauseAfter(1, null, almostOne)).toBe(6_000);
  expect(pauseAfter(9, null, almostOne)).toBeCloseTo(1.2 * 86_400_000, -3);
});

test("a longer Retry-After is honoured up to a day, and a shorter one is ignored", () => {
  expect(pauseAfter(1, 90_000, zero)).toBe(90_000);
  expect(pauseAfter(2, 1_000, zero)).toBe(300_000);
  expect(pauseAfter(1, 30 * 86_400_000, zero)).toBe(maxPauseMs);
  expect(pauseAfter(10, 90_000, zero)).toBeNull();
});
