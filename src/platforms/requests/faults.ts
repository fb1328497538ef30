import { EarshotError, messageOf } from "../../lib/errors.ts";
import { isoText } from "../../lib/iso-time.ts";

/** The platform takes no more requests of this kind until `retryAtMs`, Unix milliseconds. */
export class UpstreamLimited extends EarshotError {
  readonly retryAtMs: number;

  constructor(host: string, retryAtMs: number) {
    const until = isoText(Math.ceil(retryAtMs / 1_000) * 1_000);
    super("upstream_limited", `${host} takes no more requests of this kind until ${until}`, {
      status: 502,
      retryable: true,
      hint: "search again then, or add a credential",
    });
    this.retryAtMs = retryAtMs;
  }
}

export function noTurn(perSecond: number, waitMs: number): EarshotError {
  return new EarshotError(
    "upstream_limited",
    `this job's turn to ask a platform comes in ${Math.ceil(waitMs / 1_000)} seconds, after its deadline: ${perSecond} jobs a second begin to ask`,
    {
      status: 502,
      retryable: true,
      hint: "search again later; EARSHOT_UPSTREAM_DISPATCHES_PER_SECOND is the bound",
    },
  );
}

export function tooLate(host: string): EarshotError {
  return new EarshotError("upstream_timeout", `${host} did not answer within the job's time`, {
    status: 504,
    retryable: true,
    hint: "search again later",
  });
}

export function failedAt(host: string, status: number): EarshotError {
  return new EarshotError("upstream_failed", `${host} answers with status ${status}`, {
    status: 502,
    retryable: true,
    hint: "search again later",
  });
}

export function refusedAt(host: string, why: string): EarshotError {
  return new EarshotError("upstream_refused", `${host} ${why}`, { status: 502 });
}

/** What is asked for openly is not shown so. */
export function needsCredential(host: string): EarshotError {
  return new EarshotError("credential_refused", `${host} asks for a credential (status 401)`, {
    status: 502,
    hint: "add a credential of the platform: earshot credentials add",
  });
}

export function unreadable(host: string, why: string): EarshotError {
  return new EarshotError("answer_unreadable", `the answer of ${host} cannot be read: ${why}`, {
    status: 502,
    retryable: true,
    hint: "search again later",
  });
}

/** Codes of connections that never came about, so that nothing was sent over them. */
const neverConnected = new Set([
  "EAI_AGAIN",
  "ECONNREFUSED",
  "EHOSTUNREACH",
  "ENETUNREACH",
  "ENOTFOUND",
  "UND_ERR_CONNECT_TIMEOUT",
]);

const mostCauses = 8;

/** Whether a request that failed with this has certainly not reached the platform. */
export function wasNeverSent(thrown: unknown): boolean {
  let cause = thrown;
  for (let depth = 0; depth < mostCauses && cause instanceof Error; depth += 1) {
    if (cause instanceof EarshotError && cause.code === "address_refused") return true;
    if ("code" in cause && neverConnected.has(String(cause.code))) return true;
    cause = cause.cause;
  }
  return false;
}

/** A fault as an `EarshotError`: what a kind of credential throws beside them is its own failure. */
export function asFault(host: string, thrown: unknown): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  return new EarshotError("internal", `asking ${host} failed: ${messageOf(thrown)}`, {
    cause: thrown,
  });
}
