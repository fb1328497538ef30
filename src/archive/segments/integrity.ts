import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { isDamage } from "../sealed/damage.ts";

/** The file that marks a damaged index. Searches read all rows until compaction has rebuilt it. */
export const damageMarkerPath = (segmentPath: string): string =>
  segmentPath.replace(/\.db$/, ".damaged");

export const isMarkedDamaged = (segmentPath: string): boolean =>
  existsSync(damageMarkerPath(segmentPath));

export function markedTables(segmentPath: string): string[] {
  try {
    return readFileSync(damageMarkerPath(segmentPath), "utf8").split("\n");
  } catch {
    return [];
  }
}

export function markDamaged(segmentPath: string, tables: readonly string[] = []): void {
  try {
    const names = new Set([...markedTables(segmentPath), ...tables].filter((name) => name !== ""));
    writeFileSync(damageMarkerPath(segmentPath), [...names].join("\n"));
  } catch {
    // The disk is full or read-only.
  }
}

/**
 * Runs `fallback` if the segment is marked, or if `work` finds damage, which also marks the
 * segment.
 */
export function unlessMarkedDamaged<Value>(
  segmentPath: string,
  work: () => Value,
  fallback: () => Value,
): Value {
  return isMarkedDamaged(segmentPath) ? fallback() : markOnDamage(segmentPath, work, fallback);
}

export function markOnDamage<Value>(
  segmentPath: string,
  work: () => Value,
  fallback: () => Value,
): Value {
  try {
    return work();
  } catch (error) {
    if (!isDamage(error)) throw error;
    markDamaged(segmentPath);
  }
  return fallback();
}

/**
 * One state per slot, which is selected by a hash of the path. The last file to use a slot owns it;
 * other files with that slot are verified again.
 */
export type SharedVerifiedFiles = Int32Array<SharedArrayBuffer>;

export type VerifiedFiles = {
  /**
   * Runs `verify` unless a thread has already completed it. If another thread is running it, waits
   * up to a timeout, because that thread may have died.
   */
  once(path: string, verify: () => Iterable<void>): Generator<void, void>;
};

const slotCount = 16_384;
const sleepMs = 4;
const maxSleeps = 2_500;

export const createVerifiedFiles = (): SharedVerifiedFiles =>
  new Int32Array(new SharedArrayBuffer(slotCount * Int32Array.BYTES_PER_ELEMENT));

export function useVerifiedFiles(states = createVerifiedFiles()): VerifiedFiles {
  /** Files that this thread is verifying; it must not wait for itself. */
  const runningPaths = new Set<string>();

  function* once(path: string, verify: () => Iterable<void>): Generator<void, void> {
    const { slot, runningState, verifiedState } = statesOf(path);
    for (let sleeps = 0; ; ) {
      const state = Atomics.load(states, slot);
      if (state === verifiedState) return;
      if (state === runningState) {
        if (runningPaths.has(path) || sleeps >= maxSleeps) break;
        Atomics.wait(states, slot, runningState, sleepMs);
        sleeps += 1;
        yield;
      } else if (Atomics.compareExchange(states, slot, state, runningState) === state) break;
    }
    runningPaths.add(path);
    let next = 0;
    try {
      yield* verify();
      next = verifiedState;
    } finally {
      runningPaths.delete(path);
      Atomics.compareExchange(states, slot, runningState, next);
      Atomics.notify(states, slot);
    }
  }

  return { once };
}

/** Two files with the same slot have the same states with a probability of 2 ** -30. */
function statesOf(path: string): { slot: number; runningState: number; verifiedState: number } {
  const hash = createHash("sha256").update(path).digest();
  const state = hash.readUInt32LE(4) | 0;
  return {
    slot: hash.readUInt32LE(0) % slotCount,
    runningState: state | 1,
    verifiedState: (state & ~1) | 2,
  };
}
