import { setImmediate } from "node:timers/promises";
import type { Clock } from "../../src/lib/clock.ts";

export type VirtualTime = {
  clock: Clock;
  /** Jumps to the next wake-up when all tasks sleep. */
  runUntilSettled(tasks: readonly Promise<unknown>[]): Promise<void>;
};

type Sleeper = { atMs: number; wake: () => void };

/** Virtual time that also suits tasks that wait for threads. */
export function createVirtualTime(baseClock: Clock): VirtualTime {
  const startMs = baseClock.now() - baseClock.elapsed();
  let elapsedMs = baseClock.elapsed();
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
    let runningCount = tasks.length;
    const allTasks = Promise.all(
      tasks.map((task) =>
        task.finally(() => {
          runningCount -= 1;
        }),
      ),
    );
    while (runningCount > 0) {
      await Promise.race([setImmediate(), allTasks]);
      if (sleepers.length >= runningCount) wakeNext();
    }
    await allTasks;
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
