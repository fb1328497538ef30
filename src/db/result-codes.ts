import { EarshotError } from "../lib/errors.ts";

/** sqlite.org/rescode.html */
export const sqlite = {
  busy: 5,
  locked: 6,
  readOnly: 8,
  ioError: 10,
  corrupt: 11,
  full: 13,
  cannotOpen: 14,
  notADatabase: 26,
} as const;

export function extendedResultCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error && "errcode" in thrown)) return null;
  return typeof thrown.errcode === "number" ? thrown.errcode : null;
}

export function sqliteResultCode(thrown: unknown): number | null {
  const code = extendedResultCode(thrown);
  return code === null ? null : code & 0xff;
}

const sqliteCodes: readonly number[] = [sqlite.readOnly, sqlite.ioError, sqlite.full];
const systemCodes: readonly string[] = ["ENOSPC", "EDQUOT", "EROFS", "EIO"];
/** `disk_error` comes from threads, the others from the control store. */
const earshotCodes: readonly string[] = ["disk_error", "storage_full", "store_unavailable"];

/** True if the same operation may succeed later. */
export function isDiskError(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return false;
  if (thrown instanceof EarshotError && earshotCodes.includes(thrown.code)) return true;
  if (hasDiskErrorCode(thrown)) return true;
  return isDiskError(thrown.cause);
}

function hasDiskErrorCode(thrown: Error): boolean {
  const code = sqliteResultCode(thrown);
  if (code !== null) return sqliteCodes.includes(code);
  return "code" in thrown && systemCodes.includes(String(thrown.code));
}
