import type { Headers } from "undici";
import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { credentialRequired, serverFailed, wasNeverSent } from "../../platforms/request-errors.ts";
import type { UpstreamResponse } from "../../platforms/session.ts";
import type { Limit } from "../../platforms/upstream.ts";
import type { Permit } from "./limits.ts";
import type { OutgoingRequest, RequestOutcome, SendContext } from "./outgoing-request.ts";
import { readJson } from "./read-json.ts";

export type RequestResult =
  | { kind: "answer"; answer: UpstreamResponse }
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
    const untilMs = permit.endRefused(retryUntilMs(headers, reportedLimit, nowMs));
    access.startCooldown(bucket, untilMs);
    onOutcome("limited");
    return { kind: "limited", untilMs };
  }
  const limit = plausibleLimit(reportedLimit, nowMs);
  if (status === 408 || status >= 500) {
    if (limit !== null) permit.endWithAnswer(limit);
    onOutcome("failed");
    const requestedMs = (retryAfterMs(headers.get("retry-after"), nowMs) ?? nowMs) - nowMs;
    return {
      ...permanentFailure(serverFailed(url.host, status)),
      isTemporary: status !== 501,
      requestedPauseMs: requestedMs,
    };
  }
  permit.endWithAnswer(limit);
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
  // A credential renewal failed.
  ["upstream_failed", { outcome: "failed", isTemporary: true, mayBeBilled: false }],
  ["upstream_limited", { outcome: "limited", isTemporary: false, mayBeBilled: false }],
  ["credential_refused", { outcome: "credential_refused", isTemporary: false, mayBeBilled: false }],
]);

/** Longer windows are ignored as implausible. */
const longestWindowMs = 86_400_000;

/** An answer can arrive after the end of its window. */
const slowestAnswerMs = 60_000;

/** Null if implausible. A reset in whole seconds may be rounded down. */
export function plausibleLimit(reported: Limit | null, nowMs: number): Limit | null {
  if (reported === null || !Number.isFinite(reported.remaining)) return null;
  const resetMs = reported.resetMs % 1_000 === 0 ? reported.resetMs + 1_000 : reported.resetMs;
  if (!isPlausible(resetMs, nowMs)) return null;
  return { remaining: Math.max(0, Math.floor(reported.remaining)), resetMs };
}

/** Unix milliseconds; null if missing or implausible. */
function retryUntilMs(headers: Headers, reported: Limit | null, nowMs: number): number | null {
  const afterMs = retryAfterMs(headers.get("retry-after"), nowMs);
  if (afterMs !== null && afterMs > nowMs && isPlausible(afterMs, nowMs)) return afterMs;
  const limit = plausibleLimit(reported, nowMs);
  if (limit === null || limit.remaining > 0 || limit.resetMs <= nowMs) return null;
  return limit.resetMs;
}

function retryAfterMs(field: string | null, nowMs: number): number | null {
  if (field === null) return null;
  if (/^\d{1,9}$/.test(field)) return nowMs + Number(field) * 1_000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? null : atMs;
}

const isPlausible = (atMs: number, nowMs: number): boolean =>
  atMs > nowMs - slowestAnswerMs && atMs <= nowMs + longestWindowMs + 1_000;
