import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { createPrivately } from "../../db/open.ts";
import { isBusy } from "../../db/sqlite-errors.ts";

export type UpkeepLock = { release(): void };

/**
 * Takes an archive for its upkeep: an exclusive transaction on `upkeep.db`, which ends with the process however it ends. Null
 * while another has it.
 */
export function lockUpkeep(folder: string): UpkeepLock | null {
  const path = join(folder, "upkeep.db");
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
