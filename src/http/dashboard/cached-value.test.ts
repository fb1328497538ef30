import { expect, test } from "vitest";
import { createManualClock } from "../../lib/manual-clock.ts";
import { createCachedValue } from "./cached-value.ts";

function createTestCache() {
  const clock = createManualClock();
  const state = { refreshes: 0, tookMs: 0, fails: false };
  const cached = createCachedValue(clock, 60_000, async () => {
    state.refreshes += 1;
    const value = state.refreshes;
    if (state.tookMs > 0) await clock.sleep(state.tookMs);
    if (state.fails) throw new Error("no answer");
    return value;
  });
  return { clock, state, cached };
}

test("a fresh cached value is returned without a refresh", async () => {
  const { clock, state, cached } = createTestCache();
  expect(await Promise.all([cached.get(300), cached.get(300), cached.get(300)])).toEqual([1, 1, 1]);
  await clock.advance(59_999);
  expect(await cached.get(300)).toBe(1);
  expect(state.refreshes).toBe(1);
  await clock.advance(1);
  expect(await cached.get(300)).toBe(2);
});

test("a stale cached value is returned during a slow refresh, then the new one", async () => {
  const { clock, state, cached } = createTestCache();
  expect(await cached.get(300)).toBe(1);
  await clock.advance(60_000);
  state.tookMs = 1_000;
  const pending = cached.get(300);
  await clock.advance(300);
  expect(await pending).toBe(1);
  await clock.advance(700);
  expect(await cached.get(300)).toBe(2);
  expect(state.refreshes).toBe(2);
});

test("null is returned if the first refresh takes too long", async () => {
  const { clock, state, cached } = createTestCache();
  state.tookMs = 1_000;
  const pending = cached.get(300);
  await clock.advance(300);
  expect(await pending).toBeNull();
});

test("a cached value is not returned at ten times its maximum age", async () => {
  const { clock, state, cached } = createTestCache();
  expect(await cached.get(300)).toBe(1);
  await clock.advance(600_000);
  state.tookMs = 1_000;
  const pending = cached.get(300);
  await clock.advance(300);
  expect(await pending).toBeNull();
});

test("cached values that are slow to compute are refreshed less often", async () => {
  const { clock, state, cached } = createTestCache();
  state.tookMs = 10_000;
  const pending = cached.get(20_000);
  await clock.advance(10_000);
  expect(await pending).toBe(1);
  await clock.advance(189_000);
  expect(await cached.get(300)).toBe(1);
  expect(state.refreshes).toBe(1);
  await clock.advance(11_000);
  const again = cached.get(300);
  await clock.advance(300);
  expect(await again).toBe(1);
  expect(state.refreshes).toBe(2);
});

test("a failed refresh is retried, and the cached value remains", async () => {
  const { clock, state, cached } = createTestCache();
  state.fails = true;
  await expect(cached.get(300)).rejects.toThrow("no answer");
  state.fails = false;
  expect(await cached.get(300)).toBe(2);
  await clock.advance(60_000);
  state.fails = true;
  expect(await cached.get(300)).toBe(2);
  expect(state.refreshes).toBe(3);
});
