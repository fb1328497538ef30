import { EarshotError, errorMessage } from "../lib/errors.ts";
import { extendedResultCode, sqlite, sqliteResultCode } from "./result-codes.ts";

/** Errors caused by the environment, not by the statement. */
const environmentCodes: ReadonlySet<number> = new Set([
  sqlite.busy,
  sqlite.locked,
  sqlite.readOnly,
  sqlite.ioError,
  sqlite.full,
  sqlite.cannotOpen,
]);

/** SQLITE_IOERR_SHMSIZE: the log's index could not be enlarged. */
const sharedMemorySize = 4_874;

/** SQLITE_CONSTRAINT_FOREIGNKEY: the account has been deleted. */
const foreignKey = 787;

export function isBusy(thrown: unknown): boolean {
  return sqliteResultCode(thrown) === sqlite.busy;
}

/**
 * A full disk becomes `storage_full`, a read-only, failing or locked database `store_unavailable`,
 * a deleted account `unauthorized`. Other errors are returned unchanged.
 */
export function storeError(thrown: unknown): unknown {
  const code = sqliteResultCode(thrown);
  if (code === sqlite.full || extendedResultCode(thrown) === sharedMemorySize)
    return storageFull("the data folder", thrown);
  if (extendedResultCode(thrown) === foreignKey) return accountDeleted(thrown);
  if (code === null || !environmentCodes.has(code)) return thrown;
  return new EarshotError(
    "store_unavailable",
    `the control store failed: ${errorMessage(thrown)}`,
    {
      status: 503,
      retryable: true,
      hint: "check the free space and the permissions of the data folder",
      cause: thrown,
    },
  );
}

/** The account was deleted after the request was authenticated. */
export function accountDeleted(cause?: unknown): EarshotError {
  return new EarshotError("unauthorized", "the account has been deleted", {
    status: 401,
    hint: "sign up again, or use the key of another account",
    ...(cause === undefined ? {} : { cause }),
  });
}

export function storageFull(store: string, cause: unknown): EarshotError {
  return new EarshotError("storage_full", `the disk containing ${store} is full`, {
    status: 503,
    retryable: true,
    hint: "retry after the operator frees space; stored data is safe and readable",
    cause,
  });
}
