import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "../../db/sqlite-errors.ts";
import { committed } from "../database.ts";

/**
 * Work in short steps. Between two of them whoever runs it may rest, do something else, or leave it: `return()` on it tidies
 * up. `waiting` says that another holds what the work needs, so that it is worth a pause.
 */
export type Steps<Value> = Generator<"worked" | "waiting", Value, void>;

/** Pause before a lock is asked for again, milliseconds. */
export const lockPauseMs = 2;

/** Runs work to its end; blocks the thread. */
export function runSteps<Value>(steps: Steps<Value>): Value {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    if (step.value === "waiting") {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, lockPauseMs);
    }
  }
}

/**
 * Runs `work` in one write transaction: all of it, or nothing when it throws. The lock is asked for again and again, as one
 * who writes without a break leaves only moments between two batches.
 */
export function* inLock<Value>(database: DatabaseSync, work: () => Value): Steps<Value> {
  while (!begins(database)) yield "waiting";
  return committed(database, work);
}

function begins(database: DatabaseSync): boolean {
  try {
    database.exec("PRAGMA busy_timeout = 0; BEGIN IMMEDIATE; PRAGMA busy_timeout = 10000");
    return true;
  } catch (error) {
    database.exec("PRAGMA busy_timeout = 10000");
    if (!isBusy(error)) throw error;
    return false;
  }
}
