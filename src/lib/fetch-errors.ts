import { EarshotError } from "./errors.ts";

const timeoutCodes = new Set([
  "UND_ERR_CONNECT_TIMEOUT",
  "UND_ERR_HEADERS_TIMEOUT",
  "UND_ERR_BODY_TIMEOUT",
  "ETIMEDOUT",
]);

const maxCauses = 8;

/**
 * An `EarshotError` among the causes is returned; other errors become `upstream_timeout` or
 * `upstream_unreachable`.
 */
export function fetchError(url: URL, thrown: unknown): EarshotError {
  const causes = errorCauses(thrown);
  const earshotError = causes.find((cause) => cause instanceof EarshotError);
  if (earshotError !== undefined) return earshotError;
  const codes = causes.map(errorCode);
  const timedOut = causes.some((cause) => errorName(cause) === "TimeoutError");
  if (timedOut || codes.some((code) => timeoutCodes.has(code ?? "")))
    return timeoutError(url, thrown);
  const code = codes.find((known) => known !== null) ?? null;
  const reason = code ?? plainReason(causes);
  return new EarshotError("upstream_unreachable", `${url.host} is unreachable: ${reason}`, {
    status: 502,
    retryable: true,
    cause: thrown,
  });
}

function timeoutError(url: URL, cause: unknown): EarshotError {
  return new EarshotError("upstream_timeout", `${url.host} timed out`, {
    status: 504,
    retryable: true,
    cause,
  });
}

export function tooLargeError(url: URL, maxBytes: number): EarshotError {
  return new EarshotError(
    "answer_too_large",
    `the response from ${url.host} is longer than ${maxBytes} bytes`,
    { status: 502 },
  );
}

function errorCauses(thrown: unknown): unknown[] {
  const causes: unknown[] = [];
  let next: unknown[] = [thrown];
  for (let depth = 0; depth < maxCauses && next.length > 0; depth += 1) {
    causes.push(...next);
    next = next.flatMap(innerCauses).slice(0, maxCauses);
  }
  return causes;
}

function innerCauses(thrown: unknown): unknown[] {
  if (!(thrown instanceof Error)) return [];
  const innerErrors = thrown instanceof AggregateError ? thrown.errors : [];
  return thrown.cause === undefined ? innerErrors : [thrown.cause, ...innerErrors];
}

function errorCode(thrown: unknown): string | null {
  const hasCode = thrown instanceof Error && "code" in thrown && typeof thrown.code === "string";
  return hasCode && /^[A-Z][A-Z0-9_]{2,60}$/.test(String(thrown.code)) ? String(thrown.code) : null;
}

function plainReason(causes: readonly unknown[]): string {
  const messages = causes.flatMap((cause) => (cause instanceof Error ? [cause.message] : []));
  return messages.at(-1)?.slice(0, 200) || "the connection failed";
}

const errorName = (thrown: unknown): string => (thrown instanceof Error ? thrown.name : "");
