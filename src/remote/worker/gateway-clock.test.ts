import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createGatewayClock } from "./gateway-state.ts";

test("before the first response, the local clock is used", () => {
  const clock = createManualClock(5_000);
  expect(createGatewayClock(clock).now()).toBe(5_000);
});

test("the gateway's time advances with elapsed time, regardless of changes to the wall clock", async () => {
  const clock = createManualClock(5_000);
  const gatewayClock = createGatewayClock(clock);
  expect(gatewayClock.learn(1_000_000, clock.elapsed())).toBeNull();
  clock.shiftWall(-3_600_000);
  await clock.advance(250);
  expect(gatewayClock.now()).toBe(1_000_250);
});

test("the gateway's time is taken at the midpoint between request and response", async () => {
  const clock = createManualClock();
  const gatewayClock = createGatewayClock(clock);
  const sentMs = clock.elapsed();
  await clock.advance(100);
  gatewayClock.learn(1_000_000, sentMs);
  expect(gatewayClock.now()).toBe(1_000_050);
});

test("corrections of the gateway's clock are returned", async () => {
  const clock = createManualClock();
  const gatewayClock = createGatewayClock(clock);
  gatewayClock.learn(1_000_000, clock.elapsed());
  await clock.advance(1_000);
  expect(gatewayClock.learn(1_061_000, clock.elapsed())).toBe(60_000);
  expect(gatewayClock.now()).toBe(1_061_000);
});
