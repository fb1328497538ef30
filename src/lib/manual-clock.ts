import type { Clock } from "./clock.ts";

export type ManualClock = Clock & {
  advance(ms: number): Promise<void>;
  /** As if the process were suspended: due sleepers wake afterwards. */
  suspend(ms: number): Promise<void>;
  shiftWall(ms: number): void;
};

type Sleeper = { atMs: number; wake: () => void };

export function createManualClock(startMs = 1_700_000_000_000): ManualClock {
  let elapsedMs = 0;
  let wallOffsetMs = startMs;
  const sleepers = new Set<Sleeper>();

  function sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const onAbort = () => {
        sleepers.delete(sleeper);
        reject(signal?.reason);
      };
      const sleeper: Sleeper = {
        atMs: elapsedMs + ms,
        wake: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
      };
      sleepers.add(sleeper);
      signal?.addEventListener("abort", onAbort, { once: true });
    });
  }

  async function advance(ms: number): Promise<void> {
    const endMs = elapsedMs + ms;
    await settled();
    for (let next = earliestSleeper(endMs); next !== null; next = earliestSleeper(endMs)) {
      sleepers.delete(next);
      elapsedMs = Math.max(elapsedMs, next.atMs);
      next.wake();
      await settled();
    }
    elapsedMs = endMs;
  }

  function earliestSleeper(endMs: number): Sleeper | null {
    let first: Sleeper | null = null;
    for (const sleeper of sleepers) {
      if (sleeper.atMs <= endMs && (first === null || sleeper.atMs < first.atMs)) first = sleeper;
    }
    return first;
  }

  return {
    now: () => wallOffsetMs + elapsedMs,
    elapsed: () => elapsedMs,
    sleep,
    advance,
    suspend: async (ms) => {
      elapsedMs += ms;
      await advance(0);
    },
    shiftWall: (ms) => {
      wallOffsetMs += ms;
    },
  };
}

function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
