import type { Clock } from "../lib/clock.ts";

/** Smaller differences are clock drift. */
const minStepMs = 1_000;

export type WallClock = {
  now(): number;
  /** `sharedMs`: the time of the clock that gateways share. */
  follow(sharedMs: number): void;
};

/** `onStep` gets each step before the new time is returned; if it rejects, the next reading reports the step again. */
export function createWallClock(clock: Clock, onStep: (ms: number) => Promise<unknown>): WallClock {
  let startMs = clock.now() - clock.elapsed();

  function now(): number {
    const nowMs = clock.now();
    const stepMs = Math.round(nowMs - clock.elapsed() - startMs);
    if (Math.abs(stepMs) >= minStepMs) {
      startMs += stepMs;
      onStep(stepMs).catch(() => {
        startMs -= stepMs;
      });
    }
    return nowMs;
  }

  return { now, follow: () => undefined };
}

/** Between readings, the monotonic clock measures time. */
export function createSharedWallClock(clock: Clock): WallClock {
  let offsetMs = clock.now() - clock.elapsed();
  return {
    now: () => Math.round(clock.elapsed() + offsetMs),
    follow: (sharedMs) => {
      offsetMs = sharedMs - clock.elapsed();
    },
  };
}
