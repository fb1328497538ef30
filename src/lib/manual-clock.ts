import type { Clock } from "./clock.ts";

export type ManualClock = Clock & {
  /** Lets time pass: whoever sleeps wakes in order, and what that sets going has run when this resolves. */
  advance(ms: number): Promise<void>;
  /** Lets time pass while nothing runs, as in a process that is stopped: whoever should have woken meanwhile wakes after it. */
  hold(ms: number): Promise<void>;
  /** Puts the wall clock forward or back; the time that has elapsed stays as it is. */
  shiftWall(ms: number): void;
};

type Sleeper = { atMs: number; wake: () => void };

/** A clock for tests: it stands still until it is told. */
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
    for (let next = earliest(endMs); next !== null; next = earliest(endMs)) {
      sleepers.delete(next);
      elapsedMs = Math.max(elapsedMs, next.atMs);
      next.wake();
      await settled();
    }
    elapsedMs = endMs;
  }

  function earliest(endMs: number): Sleeper | null {
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
    hold: async (ms) => {
      elapsedMs += ms;
      await advance(0);
    },
    shiftWall: (ms) => {
      wallOffsetMs += ms;
    },
  };
}

/** All promises that can settle without time or input have. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
