import { createHash } from "node:crypto";

/**
 * Which segment files the threads of a process have verified, one number for each in a slot that follows from the file's path. A
 * slot that several files share belongs to the last one: the others are verified once more.
 */
export type SharedVerifiedFiles = Int32Array<SharedArrayBuffer>;

/** The calling thread's use of them. */
export type VerifiedFiles = {
  /**
   * Runs `verify` unless a thread has run it for this file to its end. Where another thread is running it, waits for that one,
   * and yields now and then; after a while, as that thread may have died, it runs it all the same.
   */
  once(path: string, verify: () => Iterable<void>): Generator<void, void>;
};

const slotCount = 16_384;
/** How long a thread sleeps at once while it waits, and how often it does. */
const sleepMs = 4;
const mostSleeps = 2_500;

export const createVerifiedFiles = (): SharedVerifiedFiles =>
  new Int32Array(new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT));

export function useVerifiedFiles(shared = createVerifiedFiles()): VerifiedFiles {
  /** Files that this thread is verifying: it must not sleep until it is done itself. */
  const running = new Set<string>();

  function* once(path: string, verify: () => Iterable<void>): Generator<void, void> {
    const { slot, isRunning, isVerified } = statesOf(path);
    for (let sleeps = 0; ; ) {
      const state = Atomics.load(shared, slot);
      if (state === isVerified) return;
      if (state === isRunning) {
        if (running.has(path) || sleeps >= mostSleeps) break;
        Atomics.wait(shared, slot, isRunning, sleepMs);
        sleeps += 1;
        yield;
      } else if (Atomics.compareExchange(shared, slot, state, isRunning) === state) break;
    }
    running.add(path);
    let next = 0;
    try {
      yield* verify();
      next = isVerified;
    } finally {
      running.delete(path);
      Atomics.compareExchange(shared, slot, isRunning, next);
      Atomics.notify(shared, slot);
    }
  }

  return { once };
}

/** Two states of one file, which no other file of its slot has but by a chance of 2 ** -30. */
function statesOf(path: string): { slot: number; isRunning: number; isVerified: number } {
  const hash = createHash("sha256").update(path).digest();
  const state = hash.readUInt32LE(4) | 0;
  return {
    slot: hash.readUInt32LE(0) % slotCount,
    isRunning: state | 1,
    isVerified: (state & ~1) | 2,
  };
}
