import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, type FileLock } from "../../db/folder-lock.ts";

const lockName = "compaction-lock.db";
/** Processes of earlier versions may still run compaction. */
const formerLockName = "upkeep.db";

/** Null if another process has the lock. */
export function lockCompaction(folder: string): FileLock | null {
  const lock = acquireLock(join(folder, lockName));
  if (lock === null) return null;
  const formerPath = join(folder, formerLockName);
  if (!existsSync(formerPath)) return lock;
  const former = acquireLock(formerPath);
  if (former === null) {
    lock.release();
    return null;
  }
  const release = (): void => {
    rmSync(formerPath, { force: true });
    former.release();
    lock.release();
  };
  return { release };
}
