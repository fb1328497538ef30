import { existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { acquireLock, type FileLock } from "../../db/folder-lock.ts";

const lockName = "compaction-lock.db";
/** The lock of earlier versions, which may still be running. */
const formerLockName = "upkeep.db";

/** Null if another process has the lock. */
export function lockCompaction(folder: string): FileLock | null {
  const lock = acquireLock(join(folder, lockName));
  if (lock === null) return null;
  const formerPath = join(folder, formerLockName);
  if (!existsSync(formerPath)) return lock;
  const formerLock = acquireLock(formerPath);
  if (formerLock === null) {
    lock.release();
    return null;
  }
  const release = (): void => {
    rmSync(formerPath, { force: true });
    formerLock.release();
    lock.release();
  };
  return { release };
}
