import { join } from "node:path";
import { type FileLock, acquireLock } from "../../db/folder-lock.ts";

export const lockCompaction = (folder: string): FileLock | null =>
  acquireLock(join(folder, "upkeep.db"));
