import { join } from "node:path";
import { acquireLock, type FileLock } from "../../db/folder-lock.ts";

export const lockCompaction = (folder: string): FileLock | null =>
  acquireLock(join(folder, "upkeep.db"));
