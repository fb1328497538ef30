import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import { createPrivately } from "./open.ts";
import { isBusy } from "./sqlite-errors.ts";

export type FileLock = { release(): void };

/** Holds an exclusive transaction on a database of its own, which ends with the process however it ends; null while another one does. */
export function holdLock(path: string): FileLock | null {
  createPrivately(path);
  const connection = new DatabaseSync(path, { timeout: 0 });
  try {
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => connection.close() };
}

/** Holds a data folder for one server. Command-line tools do not ask for it. Errors: `folder_in_use`. */
export function lockFolder(dataDir: string): FileLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = holdLock(join(dataDir, "lock.db"));
  if (lock !== null) return lock;
  throw new EarshotError("folder_in_use", `another server runs on ${dataDir}`, {
    status: 503,
    retryable: true,
    hint: "stop it, or name another folder in EARSHOT_DATA_DIR",
  });
}
