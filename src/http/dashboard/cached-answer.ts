import type { Clock } from "../../lib/clock.ts";

/** Something that takes a while to find out, kept for everyone who asks. */
export type CachedAnswer<Value> = {
  /**
   * What is known. While that is fresh nothing is done; else it is looked for anew, once for all who ask, and waited for at most
   * `patienceMs`: then what was known before is told, unless it is ten times as old as it may be; null where there is nothing.
   * Errors: those of the look, where nothing is known.
   */
  get(patienceMs: number): Promise<Value | null>;
};

/** A look that takes long is made the less often: it has no more than a twentieth of the time. */
const restFactor = 20;
const usableFactor = 10;

export function createCachedAnswer<Value>(
  clock: Pick<Clock, "elapsed" | "sleep">,
  freshMs: number,
  look: () => Promise<Value>,
): CachedAnswer<Value> {
  let known: { value: Value; sinceMs: number; tookMs: number } | null = null;
  let looking: Promise<void> | null = null;

  async function lookAnew(): Promise<void> {
    const sinceMs = clock.elapsed();
    const value = await look();
    known = { value, sinceMs, tookMs: clock.elapsed() - sinceMs };
  }

  function held(factor: number): Value | null {
    if (known === null) return null;
    const oldestMs = factor * Math.max(freshMs, restFactor * known.tookMs);
    return clock.elapsed() - known.sinceMs < oldestMs ? known.value : null;
  }

  async function get(patienceMs: number): Promise<Value | null> {
    const fresh = held(1);
    if (fresh !== null) return fresh;
    looking ??= lookAnew().finally(() => {
      looking = null;
    });
    const over = new AbortController();
    try {
      await Promise.race([looking, clock.sleep(patienceMs, over.signal).catch(() => undefined)]);
    } catch (error) {
      if (held(usableFactor) === null) throw error;
    } finally {
      over.abort();
    }
    return held(usableFactor);
  }

  return { get };
}
