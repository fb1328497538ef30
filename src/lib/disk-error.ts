import { EarshotError } from "./errors.ts";

/** SQLite's primary result codes for a disk that is read-only, failing or full: SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL. */
const sqliteCodes: readonly number[] = [8, 10, 13];
const systemCodes: readonly string[] = ["ENOSPC", "EDQUOT", "EROFS", "EIO"];
/** `disk_error` is how such an error leaves a thread (thread.ts); the others are the control store's. */
const ownCodes: readonly string[] = ["disk_error", "storage_full", "store_unavailable"];

/**
 * Whether an error, or one that caused it, says that a disk is full, read-only or failing. It says nothing of the work that met
 * it: the same work succeeds once the disk is usable again.
 */
export function isDiskError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof EarshotError && ownCodes.includes(thrown.code)) return true;
  if (isOfSystem(thrown)) return true;
  return isDiskError(thrown.cause);
}

function isOfSystem(thrown: Error): boolean {
  if ("errcode" in thrown && typeof thrown.errcode === "number") {
    return sqliteCodes.includes(thrown.errcode & 0xff);
  }
  return "code" in thrown && systemCodes.includes(String(thrown.code));
}
