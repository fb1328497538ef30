import { EarshotError } from "./errors.ts";

/** SQLITE_READONLY, SQLITE_IOERR, SQLITE_FULL. */
const sqliteCodes: readonly number[] = [8, 10, 13];
const systemCodes: readonly string[] = ["ENOSPC", "EDQUOT", "EROFS", "EIO"];
/** `disk_error` comes from threads (thread.ts), the others from the control store. */
const ownCodes: readonly string[] = ["disk_error", "storage_full", "store_unavailable"];

/**
 * Whether an error or one of its causes reports a full, read-only or failing disk. The same work can succeed once the disk is
 * usable again.
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
