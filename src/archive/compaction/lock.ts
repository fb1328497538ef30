import { join } from "node:path";
import { type FileLock, holdLock } from "../../db/folder-lock.ts";

export const lockCompaction = (folder: string): FileLock | null =>
  holdLock(join(folder, "upkeep.db"));
