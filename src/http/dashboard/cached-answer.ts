import type { Clock } from "../../lib/clock.ts";

/** Shared by all callers (stale-while-revalidate). */
export type CachedAnswer<Value> = {
  /**
   * Waits up to `patienceMs` for a fresh value, then returns a stale one up to ten times its maximum age, else null. Errors:
   * those of the refresh, if there is no such value.
   */
  get(patienceMs: number): Promise<Value | null>;
};

/** Refreshes take at most a twentieth of the time. */
const restFactor = 20;
const usableFactor = 10;

export function createCachedAnswer<Value>(
  clock: Pick<Clock, "elapsed" | "sleep">,
  freshMs: number,
  refresh: () => Promise<Value>,
): CachedAnswer<Value> {
  let known: { value: Value; sinceMs: number; tookMs: number } | null = null;
  let refreshing: Promise<void> | null = null;

  async function refreshNow(): Promise<void> {
    const sinceMs = clock.elapsed();
    const value = await refresh();
    known = { value, sinceMs, tookMs: clock.elapsed() - sinceMs };
  }

  function cachedWithin(factor: number): Value | null {
    if (known === null) return null;
    const oldestMs = factor * Math.max(freshMs, restFactor * known.tookMs);
    return clock.elapsed() - known.sinceMs < oldestMs ? known.value : null;
  }

  async function get(patienceMs: number): Promise<Value | null> {
    const fresh = cachedWithin(1);
    if (fresh !== null) return fresh;
    refreshing ??= refreshNow().finally(() => {
      refreshing = null;
    });
    const over = new AbortController();
    try {
      await Promise.race([refreshing, clock.sleep(patienceMs, over.signal).catch(() => undefined)]);
    } catch (error) {
      if (cachedWithin(usableFactor) === null) throw error;
    } finally {
      over.abort();
    }
    return cachedWithin(usableFactor);
  }

  return { get };
}
