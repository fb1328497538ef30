import { EarshotError, errorMessage } from "../lib/errors.ts";
import { credentialRefused } from "./credential-errors.ts";

export function queueTooLong(perSecond: number, waitMs: number): EarshotError {
  return new EarshotError(
    "upstream_limited",
    `the platform request queue, at ${perSecond} jobs per second, takes ${Math.ceil(waitMs / 1_000)} s, longer than the job's deadline`,
    {
      status: 502,
      retryable: true,
      hint: "retry later; EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND sets the rate",
    },
  );
}

export function jobDeadlineExceeded(host: string): EarshotError {
  return new EarshotError("upstream_timeout", `${host} did not respond before the job's deadline`, {
    status: 504,
    retryable: true,
    hint: "retry later",
  });
}

/** Not retryable, because the request may have been billed. */
export function possiblyBilled({ code, message, status }: EarshotError): EarshotError {
  return new EarshotError(
    code,
    `${message}; the request may have been billed, so it is not repeated`,
    {
      status,
      hint: "submit the search again if you accept another charge",
    },
  );
}

export function serverFailed(host: string, status: number): EarshotError {
  return new EarshotError("upstream_failed", `${host} returned ${status}`, {
    status: 502,
    retryable: true,
    hint: "retry later",
  });
}

/** A failing server says nothing about the credential. Errors: `upstream_failed`. */
export function throwIfServerFailed(host: string, { status }: { status: number }): void {
  if (status === 429 || status >= 500) throw serverFailed(host, status);
}

export function upstreamRefused(host: string, problem: string): EarshotError {
  return new EarshotError("upstream_refused", `${host} ${problem}`, { status: 502 });
}

export function credentialRequired(host: string): EarshotError {
  return credentialRefused(
    `${host} requires a credential (401)`,
    "add a credential for the platform with earshot credentials add",
  );
}

const notSentCodes = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const maxCauses = 8;

export function wasNeverSent(thrown: unknown): boolean {
  let cause = thrown;
  for (let depth = 0; depth < maxCauses && cause instanceof Error; depth += 1) {
    if (cause instanceof EarshotError && cause.code === "address_refused") return true;
    if ("code" in cause && notSentCodes.has(String(cause.code))) return true;
    cause = cause.cause;
  }
  return false;
}

/** Other errors, such as a bug in a credential kind, become `internal`. */
export function asRequestError(host: string, thrown: unknown): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  return new EarshotError("internal", `request to ${host} failed: ${errorMessage(thrown)}`, {
    cause: thrown,
  });
}
