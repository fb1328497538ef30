import type { Clock } from "../lib/clock.ts";

/** Smaller differences are drift. */
const smallestStepMs = 1_000;

/** `onStep` receives the step before the new time is returned; if it rejects, the next reading reports the step again. */
export function createWallClock(
  clock: Clock,
  onStep: (ms: number) => Promise<unknown>,
): { now(): number } {
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

  return { now };
}
