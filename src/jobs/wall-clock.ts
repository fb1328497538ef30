import type { Clock } from "../lib/clock.ts";

/** Less is what a clock that is kept right drifts. */
const smallestStepMs = 1_000;

/**
 * Unix milliseconds of a clock that may be put forward or back while it runs. `onStep` is told by how much, before the first
 * time that is read after it; what it could not do is told again with the next reading.
 */
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
