import { EarshotError } from "../lib/errors.ts";
import type { LeaseFailure } from "./lease.ts";

/** What a caller is told of faults whose own message tells what happened inside. */
const publicMessages: ReadonlyMap<string, string> = new Map([
  ["internal", "a fault in Earshot"],
  ["archive_unavailable", "the archive cannot be read for the moment"],
  // Where a name leads inside is nobody's business outside.
  ["address_refused", "the address that the query leads to is not a public one"],
]);

/** Why an attempt failed, as its job keeps it and its caller reads it. */
export function failureOf(error: unknown): LeaseFailure {
  const code = codeOf(error);
  const message = publicMessages.get(code);
  if (!(error instanceof EarshotError)) {
    return { code, message: message ?? code, status: 500, retryable: false };
  }
  const { status, retryable, hint } = error;
  const help = hint === undefined ? {} : { hint };
  return { code, message: message ?? error.message, status, retryable, ...help };
}

/**
 * Why an attempt failed, as the log tells it. What comes out of the engine may repeat the query, so that only what is one of
 * its fixed texts is told.
 */
export function causeOf(error: unknown): { code: string; error: string } {
  const code = codeOf(error);
  if (error instanceof EarshotError && (!publicMessages.has(code) || isForLog(code))) {
    return { code, error: [error.message, ...refusalsOf(error.cause)].join(": ") };
  }
  const inside = messagesOf(error).join(": ");
  return { code, error: engineTexts.find((text) => inside.includes(text)) ?? "of another kind" };
}

/** Whoever runs the server is told where the name led. */
const isForLog = (code: string): boolean => code === "address_refused";

/** Callers are not told that a name leads into a private network; the operator is. */
function refusalsOf(cause: unknown): string[] {
  return codeOf(cause) === "address_refused" ? messagesOf(cause) : [];
}

function codeOf(error: unknown): string {
  return error instanceof EarshotError ? error.code : "internal";
}

function messagesOf(error: unknown): string[] {
  return error instanceof Error ? [error.message, ...messagesOf(error.cause)] : [];
}

/** Texts of SQLite's result codes (sqlite3_errstr), and of a thread that is gone. */
const engineTexts = [
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
  "a worker thread is gone",
];
