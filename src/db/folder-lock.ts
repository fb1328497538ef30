import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import { createPrivately } from "./open.ts";
import { isBusy } from "./sqlite-errors.ts";

export type FolderLock = { release(): void };

/**
 * Holds a data folder for one server: an exclusive transaction on `lock.db`, which ends with the process however it ends.
 * Command-line tools do not ask for it. Errors: `folder_in_use`.
 */
export function lockFolder(dataDir: string): FolderLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const path = join(dataDir, "lock.db");
  createPrivately(path);
  const connection = new DatabaseSync(path, { timeout: 0 });
  try {
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (!isBusy(error)) throw error;
    throw new EarshotError("folder_in_use", `another server runs on ${dataDir}`, {
      status: 503,
      retryable: true,
      hint: "stop it, or name another folder in EARSHOT_DATA_DIR",
    });
  }
  return { release: () => connection.close() };
}
