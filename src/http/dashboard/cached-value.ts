import type { Clock } from "../../lib/clock.ts";

/** Shared by all callers (stale-while-revalidate). */
export type CachedValue<Value> = {
  /**
   * After `maxWaitMs`, returns a stale value of up to ten times the maximum age, or else null.
   * Errors: those of the refresh, if there is no such value.
   */
  get(maxWaitMs: number): Promise<Value | null>;
};

/** Limits refreshes to a twentieth of the time. */
const restFactor = 20;
const usableFactor = 10;

export function createCachedValue<Value>(
  clock: Pick<Clock, "elapsed" | "sleep">,
  maxAgeMs: number,
  refresh: () => Promise<Value>,
): CachedValue<Value> {
  let cached: { value: Value; sinceMs: number; tookMs: number } | null = null;
  let pendingRefresh: Promise<void> | null = null;

  async function refreshNow(): Promise<void> {
    const sinceMs = clock.elapsed();
    const value = await refresh();
    cached = { value, sinceMs, tookMs: clock.elapsed() - sinceMs };
  }

  function cachedWithin(factor: number): Value | null {
    if (cached === null) return null;
    const maxCachedAgeMs = factor * Math.max(maxAgeMs, restFactor * cached.tookMs);
    return clock.elapsed() - cached.sinceMs < maxCachedAgeMs ? cached.value : null;
  }

  async function get(maxWaitMs: number): Promise<Value | null> {
    const freshValue = cachedWithin(1);
    if (freshValue !== null) return freshValue;
    pendingRefresh ??= refreshNow().finally(() => {
      pendingRefresh = null;
    });
    const timerAbort = new AbortController();
    try {
      await Promise.race([
        pendingRefresh,
        clock.sleep(maxWaitMs, timerAbort.signal).catch(() => undefined),
      ]);
    } catch (error) {
      if (cachedWithin(usableFactor) === null) throw error;
    } finally {
      timerAbort.abort();
    }
    return cachedWithin(usableFactor);
  }

  return { get };
}
