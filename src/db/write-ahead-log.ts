import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite-errors.ts";

/** How long one waits for the others that open the same new database, in steps, milliseconds. */
const patienceMs = 10_000;
const stepMs = 5;

/**
 * Puts a database that is about to be written into write-ahead mode. A new file changes its mode under a lock for which SQLite
 * does not wait, whatever its timeout, so that of two processes that make one database at the same moment one is refused: that
 * one tries again. Blocks the thread.
 */
export function useWriteAheadLog(connection: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= patienceMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stepMs);
  }
}
