import { EarshotError, messageOf } from "../lib/errors.ts";

/** Primary result codes (sqlite.org/rescode.html) of trouble around the database, not in the statement. */
const busy = 5;
const readOnly = 8;
const full = 13;
const outside = new Set([busy, 6, readOnly, 10, full, 14]);

/** The extended code of an index file of a write-ahead log that could not be made larger. */
const sharedMemorySize = 4_874;

/** The extended code of a row that belongs to another one which is not there: here always to an account that was deleted. */
const foreignKey = 787;

function extendedCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error && "errcode" in thrown)) return null;
  return typeof thrown.errcode === "number" ? thrown.errcode : null;
}

function resultCode(thrown: unknown): number | null {
  const code = extendedCode(thrown);
  return code === null ? null : code & 0xff;
}

export function isBusy(thrown: unknown): boolean {
  return resultCode(thrown) === busy;
}

/**
 * A full disk is `storage_full`; a read-only disk, a failing one, or another process in the way is `store_unavailable`. Both
 * pass, and can be tried again. A row for an account that was deleted meanwhile is `unauthorized`. The rest stays as it is.
 */
export function storeError(thrown: unknown): unknown {
  const code = resultCode(thrown);
  if (code === full || extendedCode(thrown) === sharedMemorySize) return storageFull(thrown);
  if (extendedCode(thrown) === foreignKey) return accountDeleted(thrown);
  if (code === null || !outside.has(code)) return thrown;
  return new EarshotError("store_unavailable", `the control store failed: ${messageOf(thrown)}`, {
    status: 503,
    retryable: true,
    hint: "look at the free space and the rights of the data folder",
    cause: thrown,
  });
}

/** What a request is told whose account was deleted after it was let in. */
export function accountDeleted(cause?: unknown): EarshotError {
  return new EarshotError("unauthorized", "the account is deleted", {
    status: 401,
    hint: "sign up again, or use the key of another account",
    ...(cause === undefined ? {} : { cause }),
  });
}

function storageFull(cause: unknown): EarshotError {
  return new EarshotError("storage_full", "the disk of the data folder is full", {
    status: 503,
    retryable: true,
    hint: "nothing can be written until whoever runs the server has made room; what was accepted is safe and can be read",
    cause,
  });
}
