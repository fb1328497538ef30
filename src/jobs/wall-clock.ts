import type { Clock } from "../lib/clock.ts";

/** Smaller differences are drift. */
const smallestStepMs = 1_000;

export type WallClock = {
  now(): number;
  /** Follows the clock that gateways share: `sharedMs` is its time now. */
  follow(sharedMs: number): void;
};

/**
 * `onStep` receives the step before the new time is returned; if it rejects, the next reading
 * reports the step again.
 */
export function createWallClock(clock: Clock, onStep: (ms: number) => Promise<unknown>): WallClock {
  let startMs = clock.now() - clock.elapsed();

  function now(): number {
    const nowMs = clock.now();
    const stepMs = Math.round(nowMs - clock.elapsed() - startMs);
    if (Math.abs(stepMs) >= smallestStepMs) {
      startMs += stepMs;
      onStep(stepMs).catch(() => {
        startMs -= stepMs;
      });
    }
    return nowMs;
  }

  return { now, follow: () => undefined };
}

/** Time passes by the monotonic clock of the process between two readings of the shared clock. */
export function createSharedWallClock(clock: Clock): WallClock {
  let aheadMs = clock.now() - clock.elapsed();
  return {
    now: () => Math.round(clock.elapsed() + aheadMs),
    follow: (sharedMs) => {
      aheadMs = sharedMs - clock.elapsed();
    },
  };
}
