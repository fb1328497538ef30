import type { DatabaseSync } from "node:sqlite";
import { isBusy } from "./sqlite-errors.ts";

const timeoutMs = 10_000;
const stepMs = 5;

/** Retries, because SQLite ignores its busy timeout for this lock. Blocks the thread. */
export function useWriteAheadLog(connection: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += stepMs) {
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, stepMs);
  }
}
