import { EarshotError, messageOf } from "../lib/errors.ts";

/** Primary result codes (sqlite.org/rescode.html) of trouble around the database, not in the statement. */
const busy = 5;
const outside = new Set([busy, 6, 8, 10, 13, 14]);

function resultCode(thrown: unknown): number | null {
  if (!(thrown instanceof Error && "errcode" in thrown)) return null;
  return typeof thrown.errcode === "number" ? thrown.errcode & 0xff : null;
}

export function isBusy(thrown: unknown): boolean {
  return resultCode(thrown) === busy;
}

/** A full or read-only disk, a failing one, or another process in the way is `store_unavailable`; the rest stays as it is. */
export function storeError(thrown: unknown): unknown {
  const code = resultCode(thrown);
  if (code === null || !outside.has(code)) return thrown;
  return new EarshotError("store_unavailable", `the control store failed: ${messageOf(thrown)}`, {
    status: 503,
    retryable: true,
    hint: "look at the free space and the rights of the data folder",
    cause: thrown,
  });
}
