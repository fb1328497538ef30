/** `now`: Unix milliseconds; `elapsed`: monotonic milliseconds. */
export type Clock = {
  now(): number;
  elapsed(): number;
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

const maxTimerMs = 2 ** 31 - 1;

export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  sleep: async (ms, signal) => {
    let remainingMs = ms;
    for (; remainingMs > maxTimerMs; remainingMs -= maxTimerMs) await pause(maxTimerMs, signal);
    await pause(remainingMs, signal);
  },
};

function pause(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}

/** Smaller differences are clock drift. */
const minStepMs = 1_000;

export type WallClock = {
  now(): number;
  /** `sharedMs`: the time on the clock that gateways share. */
  follow(sharedMs: number): void;
};

/**
 * `onStep` is called with each step before the new time is returned; if it rejects, the next
 * reading reports the step again.
 */
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

/** Between readings of the shared clock, the monotonic clock measures time. */
export function createSharedWallClock(clock: Clock): WallClock {
  let offsetMs = clock.now() - clock.elapsed();
  return {
    now: () => Math.round(clock.elapsed() + offsetMs),
    follow: (sharedMs) => {
      offsetMs = sharedMs - clock.elapsed();
    },
  };
}

export const latestMs = 8.64e15;

export function timeAfter(ms: number, spanMs: number): number {
  return Math.min(ms + spanMs, latestMs);
}
