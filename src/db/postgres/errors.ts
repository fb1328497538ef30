import postgres from "postgres";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { accountDeleted, storageFull } from "../sqlite-errors.ts";

const conflicts: ReadonlySet<string> = new Set(["40001", "40P01"]);

/** Nothing was written, and the operation can run again. */
export function isConflict(thrown: unknown): boolean {
  return thrown instanceof postgres.PostgresError && conflicts.has(thrown.code);
}

const lockTimeout = "55P03";

/** Nothing was written, and a single call in a batch may be the cause. */
export function affectsOneCall(thrown: unknown): boolean {
  if (!(thrown instanceof postgres.PostgresError)) return false;
  return isConflict(thrown) || thrown.code === lockTimeout || !serverErrors.test(thrown.code);
}

export function isDuplicate(thrown: unknown): boolean {
  return thrown instanceof postgres.PostgresError && thrown.code === "23505";
}

/** The server has no free connection; nothing was sent. */
export function isOutOfConnections(thrown: unknown): boolean {
  const cause = thrown instanceof EarshotError ? thrown.cause : thrown;
  return cause instanceof postgres.PostgresError && cause.code === "53300";
}

/** SQLSTATE classes of server and connection errors. */
const serverErrors = /^(?:08|25006|53|55P03|57|58|XX|40)/;

/**
 * Server and connection errors become `store_unavailable`, a full disk `storage_full`, a deleted
 * account `unauthorized`. Other errors are returned unchanged.
 */
export function postgresError(thrown: unknown): unknown {
  if (thrown instanceof EarshotError) return thrown;
  const isFromServer = thrown instanceof postgres.PostgresError;
  if (isFromServer && thrown.code === "53100") return storageFull("the control database", thrown);
  if (isFromServer && thrown.code === "23503") return accountDeleted(thrown);
  if (isFromServer && !serverErrors.test(thrown.code)) return thrown;
  if (!isFromServer && !isConnectionError(thrown)) return thrown;
  return storeUnavailable(errorMessage(thrown), thrown);
}

export function storeUnavailable(reason: string, cause?: unknown): EarshotError {
  return new EarshotError("store_unavailable", `the control database failed: ${reason}`, {
    status: 503,
    retryable: true,
    hint: "check that PostgreSQL is running and that EARSHOT_DATABASE_URL points to it",
    ...(cause === undefined ? {} : { cause }),
  });
}

/** An error from the driver (`CONNECTION_…`) or a socket. */
function isConnectionError(thrown: unknown): boolean {
  if (!(thrown instanceof Error) || !("code" in thrown)) return false;
  return typeof thrown.code === "string" && /^(?:CONNECT|E[A-Z]+$)/.test(thrown.code);
}
