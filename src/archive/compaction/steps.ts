import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../db/sqlite-errors.ts";
import { commitAfter } from "../database.ts";

/**
 * The caller may pause between steps, or abandon the rest with `return()`, which cleans up.
 * `waiting` means waiting for a lock.
 */
export type CompactionSteps<Value> = Generator<"worked" | "waiting", Value, void>;

export const lockPauseMs = 2;

export function runSteps<Value>(steps: CompactionSteps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value === "waiting") {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPauseMs);
    }
  }
}

/**
 * Runs `work` in a transaction. Polls the write lock, because a continuous writer releases it only
 * briefly.
 */
export function* inLock<Value>(database: DatabaseSync, work: () => Value): CompactionSteps<Value> {
  while (!tryBegin(database)) yield "waiting";
  return commitAfter(database, work);
}

function tryBegin(database: DatabaseSync): boolean {
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 10000");
    return true;
  } catch (error) {
    database.exec("PRAGMA busy_timeout = 10000");
    if (!isBusy(error)) throw error;
    return false;
  }
}
