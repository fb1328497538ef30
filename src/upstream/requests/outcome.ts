import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { credentialRequired, serverFailed, wasNeverSent } from "../../platforms/request-errors.ts";
import type { UpstreamAnswer } from "../../platforms/session.ts";
import type { Permit } from "./limits.ts";
import type { OutgoingRequest, RequestOutcome, SendContext } from "./outgoing-request.ts";
import { plausibleLimit, retryAfterMs, retryUntilMs } from "./rate-limit-headers.ts";
import { readJson } from "./read-json.ts";

export type RequestResult =
  | { kind: "answer"; answer: UpstreamAnswer }
  | { kind: "limited"; untilMs: number }
  | FailedRequest;

type FailedRequest = {
  kind: "error";
  error: EarshotError;
  isTemporary: boolean;
  mayBeBilled: boolean;
  requestedPauseMs: number;
};

export async function readOutcome(
  { clock, maxValues, onOutcome }: SendContext,
  { url, bucket, access, readLimit, paid }: OutgoingRequest,
  permit: Permit,
  response: FetchedResponse,
): Promise<RequestResult> {
  const { status, headers } = response;
  const nowMs = clock.now();
  const reportedLimit = readLimit(headers, status, nowMs);
  if (status === 429) {
    const untilMs = permit.refused(retryUntilMs(headers, reportedLimit, nowMs));
    access.startCooldown(bucket, untilMs);
    onOutcome("limited");
    return { kind: "limited", untilMs };
  }
  const limit = plausibleLimit(reportedLimit, nowMs);
  if (status === 408 || status >= 500) {
    if (limit !== null) permit.answered(limit);
    onOutcome("failed");
    const requestedMs = (retryAfterMs(headers.get("retry-after"), nowMs) ?? nowMs) - nowMs;
    return {
      ...permanentFailure(serverFailed(url.host, status)),
      isTemporary: status !== 501,
      requestedPauseMs: requestedMs,
    };
  }
  permit.answered(limit);
  if (limit?.remaining === 0) access.startCooldown(bucket, limit.resetMs);
  if (status === 401) throw credentialRequired(url.host);
  const json = await readJson(url.host, response, maxValues);
  onOutcome(status < 400 ? "answered" : "refused");
  return {
    kind: "answer",
    answer: { status, headers, receivedMs: nowMs, json, settle: (bill) => paid?.settle(bill) },
  };
}

export function reportFailedRequest(
  { onOutcome }: SendContext,
  error: EarshotError,
): FailedRequest {
  const known = knownErrors.get(error.code);
  onOutcome(known?.outcome ?? "failed");
  return {
    kind: "error",
    error,
    isTemporary: error.retryable && (known?.isTemporary ?? false),
    mayBeBilled: (known?.mayBeBilled ?? true) && !wasNeverSent(error),
    requestedPauseMs: 0,
  };
}

const permanentFailure = (error: EarshotError): FailedRequest => ({
  kind: "error",
  error,
  isTemporary: false,
  mayBeBilled: false,
  requestedPauseMs: 0,
});

type KnownError = { outcome: RequestOutcome; isTemporary: boolean; mayBeBilled: boolean };

const knownErrors: ReadonlyMap<string, KnownError> = new Map([
  ["upstream_timeout", { outcome: "timeout", isTemporary: true, mayBeBilled: true }],
  ["upstream_unreachable", { outcome: "unreachable", isTemporary: true, mayBeBilled: true }],
  ["answer_unreadable", { outcome: "unreadable", isTemporary: true, mayBeBilled: true }],
  ["answer_too_large", { outcome: "unreadable", isTemporary: false, mayBeBilled: true }],
  ["upstream_refused", { outcome: "refused", isTemporary: false, mayBeBilled: false }],
  // It never reached the platform.
  ["upstream_failed", { outcome: "failed", isTemporary: true, mayBeBilled: false }],
  ["upstream_limited", { outcome: "limited", isTemporary: false, mayBeBilled: false }],
  ["credential_refused", { outcome: "credential_refused", isTemporary: false, mayBeBilled: false }],
]);
