import { expect, test } from "vitest";
import type { EarshotError } from "../../lib/errors.ts";
import { createManualClock } from "../../lib/manual-clock.ts";
import { unreachable } from "./gateway-errors.ts";
import { createReachability } from "./gateway-state.ts";

const error = unreachable("the connection was refused");

function makeReachability() {
  const clock = createManualClock();
  const changes: (EarshotError | null)[] = [];
  const reachability = createReachability({
    clock,
    random: () => 1,
    onChange: (change) => changes.push(change),
  });
  return { clock, changes, reachability };
}

test("a gateway without failures is called immediately", async () => {
  const { reachability } = makeReachability();
  expect(await reachability.waitOutBackoff(0)).toBe(true);
});

test("the delay doubles with each failure, up to 5 s", async () => {
  const { clock, reachability } = makeReachability();
  const pauses: number[] = [];
  for (let failures = 0; failures < 9; failures += 1) {
    reachability.recordNetworkFailure(clock.elapsed(), error);
    const sinceMs = clock.elapsed();
    const backoff = reachability
      .waitOutBackoff(60_000)
      .then(() => pauses.push(clock.elapsed() - sinceMs));
    while (pauses.length === failures) await clock.advance(250);
    await backoff;
  }
  expect(pauses).toEqual([250, 500, 1_000, 2_000, 4_000, 5_000, 5_000, 5_000, 5_000]);
});

test("concurrent failures count as one", async () => {
  const { clock, changes, reachability } = makeReachability();
  const sentMs = clock.elapsed();
  await clock.advance(10);
  for (let requests = 0; requests < 20; requests += 1)
    reachability.recordNetworkFailure(sentMs, error);
  await clock.advance(250);
  expect(await reachability.waitOutBackoff(0)).toBe(true);
  expect(changes).toEqual([error]);
});

test("waiting for the gateway ends after the specified time", async () => {
  const { clock, reachability } = makeReachability();
  reachability.recordNetworkFailure(clock.elapsed(), error);
  const backoff = reachability.waitOutBackoff(100);
  await clock.advance(100);
  expect(await backoff).toBe(false);
});

test("loss and return of the gateway are reported once each", async () => {
  const { clock, changes, reachability } = makeReachability();
  reachability.recordNetworkFailure(clock.elapsed(), error);
  await clock.advance(1_000);
  reachability.recordNetworkFailure(clock.elapsed(), error);
  reachability.recordResponse();
  reachability.recordResponse();
  expect(changes).toEqual([error, null]);
  expect(await reachability.waitOutBackoff(0)).toBe(true);
});

test("waiting for the gateway ends when its signal aborts", async () => {
  const { clock, reachability } = makeReachability();
  reachability.recordNetworkFailure(clock.elapsed(), error);
  const stopController = new AbortController();
  const backoff = reachability.waitOutBackoff(60_000, stopController.signal);
  stopController.abort(new Error("the node stops"));
  await expect(backoff).rejects.toThrow("the node stops");
});
