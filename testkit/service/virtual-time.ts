import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/lib/clock.ts";

export type VirtualTime = {
  clock: Clock;
  /** Jumps to the next wake-up when all tasks sleep. */
  runUntilSettled(tasks: readonly Promise<unknown>[]): Promise<void>;
};

type Sleeper = { atMs: number; wake: () => void };

/** Virtual time that also suits tasks that wait for threads. */
export function createVirtualTime(from: Clock): VirtualTime {
  const startMs = from.now() - from.elapsed();
  let elapsedMs = from.elapsed();
  const sleepers: Sleeper[] = [];

  const clock: Clock = {
    now: () => startMs + elapsedMs,
    elapsed: () => elapsedMs,
    sleep: (ms) =>
      new Promise((wake) => {
        sleepers.push({ atMs: elapsedMs + ms, wake });
      }),
  };

  async function runUntilSettled(tasks: readonly Promise<unknown>[]): Promise<void> {
    let running = tasks.length;
    const all = Promise.all(
      tasks.map((task) =>
        task.finally(() => {
          running -= 1;
        }),
      ),
    );
    while (running > 0) {
      await Promise.race([setImmediate(), all]);
      if (sleepers.length >= running) wakeNext();
    }
    await all;
  }

  function wakeNext(): void {
    sleepers.sort((a, b) => a.atMs - b.atMs);
    const next = sleepers.shift();
    if (next === undefined) return;
    elapsedMs = Math.max(elapsedMs, next.atMs);
    next.wake();
  }

  return { clock, runUntilSettled };
}
