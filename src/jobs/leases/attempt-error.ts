import { EarshotError } from "../../lib/errors.ts";
import type { LeaseFailure } from "./lease.ts";

const publicMessages: ReadonlyMap<string, string> = new Map([
  ["internal", "internal error"],
  ["archive_unavailable", "the archive is temporarily unavailable"],
  ["address_refused", "the query leads to an address that is not public"],
]);

export function toLeaseFailure(error: unknown): LeaseFailure {
  const code = errorCode(error);
  const message = publicMessages.get(code);
  if (!(error instanceof EarshotError)) {
    return { code, message: message ?? code, status: 500, retryable: false };
  }
  const { status, retryable, hint } = error;
  const optionalHint = hint === undefined ? {} : { hint };
  return { code, message: message ?? error.message, status, retryable, ...optionalHint };
}

/** Database messages may repeat the query, so only known texts are logged. */
export function errorCause(error: unknown): { code: string; error: string } {
  const code = errorCode(error);
  if (error instanceof EarshotError && (!publicMessages.has(code) || code === refusedAddress)) {
    return { code, error: [error.message, ...readRefusals(error.cause)].join(": ") };
  }
  const messages = errorMessages(error).join(": ");
  return { code, error: loggableTexts.find((text) => messages.includes(text)) ?? "unknown error" };
}

/** The log gets the reason for a refused private address; callers never do. */
const refusedAddress = "address_refused";

function readRefusals(cause: unknown): string[] {
  return errorCode(cause) === refusedAddress ? errorMessages(cause) : [];
}

function errorCode(error: unknown): string {
  return error instanceof EarshotError ? error.code : "internal";
}

function errorMessages(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...errorMessages(error.cause)] : [];
}

const loggableTexts = [
  "database disk image is malformed",
  "file is not a database",
  "unable to open database file",
  "disk I/O error",
  "database or disk is full",
  "attempt to write a readonly database",
  "database is locked",
  "out of memory",
  "string or blob too big",
  "locking protocol",
  "no such table",
  "SQL logic error",
  "a worker thread ended",
];
