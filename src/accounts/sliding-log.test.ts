import fc from "fast-check";
import { expect, test } from "vitest";
import { createSlidingLog } from "./rates.ts";

const windowMs = 100;

test("the sliding log agrees with a list of all calls for any limit, frequency and wait", () => {
  const step = fc.record({ afterMs: fc.nat({ max: 60 }), maxWaitMs: fc.nat({ max: 150 }) });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 20 }), fc.array(step, { maxLength: 200 }), (q, steps) => {
      const log = createSlidingLog(windowMs);
      const callTimes: number[] = [];
      let nowMs = 0;
      for (const { afterMs, maxWaitMs } of steps) {
        nowMs += afterMs;
        const counted = callTimes.filter((atMs) => atMs + windowMs > nowMs);
        expect(log.countUsed(nowMs)).toBe(counted.length);
        const blocking = callTimes.at(-q);
        const waitMs = Math.max(0, blocking === undefined ? 0 : blocking + windowMs - nowMs);
        expect(log.waitMs(q, nowMs)).toBe(waitMs);
        if (waitMs > maxWaitMs) continue;
        log.add(nowMs + waitMs, nowMs);
        callTimes.push(nowMs + waitMs);
      }
      for (const fromMs of callTimes) {
        const inWindow = callTimes.filter((atMs) => atMs >= fromMs && atMs < fromMs + windowMs);
        expect(inWindow.length).toBeLessThanOrEqual(q);
      }
    }),
  );
});

test("the number of remaining calls increases when the oldest call expires", () => {
  const log = createSlidingLog(windowMs);
  expect(log.growsInMs(2, 0)).toBe(0);
  log.add(10, 10);
  log.add(30, 30);
  expect(log.growsInMs(2, 40)).toBe(70);
  expect(log.growsInMs(1, 40)).toBe(90);
});

test("a call that waits counts until one window after the end of its wait", () => {
  const log = createSlidingLog(windowMs);
  log.add(0, 0);
  log.add(100, 0);
  expect(log.waitMs(3, 0)).toBe(0);
  log.add(0, 0);
  expect(log.waitMs(1, 0)).toBe(200);
});
