import { join } from "node:path";
import { type FileLock, holdLock } from "../../db/folder-lock.ts";

/** Takes an archive for its upkeep; null while another process has it. */
export const lockCompaction = (folder: string): FileLock | null =>
  holdLock(join(folder, "upkeep.db"));
