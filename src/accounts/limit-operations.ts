/**
 * Rates are in memory, so no request causes a write. After a restart, submissions of the last
 * minute are read from the job table; per-second rates and wrong keys start from zero.
 */

import { memory, perStore } from "../db/operations.ts";
import type { Database, Steps } from "../db/statements.ts";
import { authenticate, type Caller } from "./authenticate.ts";
import { createFailedKeys } from "./client-addresses.ts";
import type { Limits, PolicyState } from "./limits.ts";
import { type AccountRates, createKeyRates, type RatedKey } from "./rates.ts";
import { recentSubmissions } from "./recent-submissions.ts";
import {
  type CallerSession,
  type FoundSession,
  findSession,
  type PresentedSession,
  type SessionNote,
} from "./sessions/find-session.ts";

/** `elapsedMs`: the time of a monotonic clock that all callers share. */
export type CallTime = { elapsedMs: number; nowMs: number };

/** Flat, with hashes as text, which is the cheapest form to transfer. */
export type AdmissionRequest = CallTime &
  Limits & {
    address: string;
    /** Null if there is no well-formed key. */
    keyId: string | null;
    /** Null for a key, as opposed to an access token. */
    resource: string | null;
    /** Base64 SHA-256 of the secret. */
    keyHash: string | null;
    /** Base64 SHA-256 of the whole Authorization header; null if none. */
    presentedHash: string | null;
    readOf: string | null;
    mayWait?: boolean;
    maxWaitMs: number;
    isSubmission?: boolean;
  };

export type AdmissionOutcome =
  | { kind: "blocked"; retryAfterMs: number }
  | { kind: "unknown" }
  | { kind: "suspended" }
  | RateOutcome;

/**
 * `searchMs` is null unless the search was counted with its request, which saves a round trip to
 * PostgreSQL.
 */
export type RateOutcome =
  | {
      kind: "admitted";
      caller: Caller;
      waitMs: number;
      policies: readonly PolicyState[];
      searchMs: number | null;
    }
  | { kind: "refused"; caller: Caller; retryAfterMs: number; policies: readonly PolicyState[] };

export type SessionAdmissionRequest = CallTime &
  Limits &
  PresentedSession &
  Pick<AdmissionRequest, "readOf" | "maxWaitMs" | "isSubmission">;

export type SessionAdmissionOutcome =
  | Exclude<FoundSession, { kind: "live" }>
  | (RateOutcome & { session: CallerSession; note: SessionNote });

export type SubmissionRateRequest = CallTime & { key: RatedKey };

export type SubmissionOutcome = {
  allowed: boolean;
  retryAfterMs: number;
  /** Pass this to `giveBackSubmission`. */
  countedMs: number;
  policies: readonly PolicyState[];
};

export type LimitOperations = typeof limitOperations;

export const limitOperations = {
  /** If this is not called, the first call restores the rates. */
  restoreRates: memory(function* (database, request: CallTime): Steps<null> {
    yield* readTime(database, limitsOf(database), request);
    return null;
  }),

  /** Checks the address's wrong keys, then the key, then counts a request. */
  admit: memory(function* (database, request: AdmissionRequest): Steps<AdmissionOutcome> {
    const state = limitsOf(database);
    const nowMs = yield* readTime(database, state, request);
    const { address, failedKeysPerMinute, keyId, keyHash, presentedHash } = request;
    const blockedMs = state.failedKeys.blockedMs(address, failedKeysPerMinute, nowMs);
    if (blockedMs > 0) return { kind: "blocked", retryAfterMs: blockedMs };
    if (presentedHash === null) return { kind: "unknown" };
    state.latestWallMs = Math.max(state.latestWallMs, request.nowMs);
    const latestRequest = { ...request, nowMs: state.latestWallMs };
    const isKey = keyId !== null && keyHash !== null;
    const caller = isKey ? yield* authenticateKey(database, keyId, keyHash, latestRequest) : null;
    if (caller === "suspended") return { kind: "suspended" };
    if (caller === null) {
      state.failedKeys.record(address, presentedHash, failedKeysPerMinute, nowMs);
      return { kind: "unknown" };
    }
    return yield* countRequest(database, state, caller, request, nowMs);
  }),

  admitSession: memory(function* (
    database,
    request: SessionAdmissionRequest,
  ): Steps<SessionAdmissionOutcome> {
    const state = limitsOf(database);
    const timeMs = yield* readTime(database, state, request);
    const found = yield* findSession(
      database,
      request,
      request.dashboardRequestsPerSecond,
      request.nowMs,
    );
    if (found.kind !== "live") return found;
    const { session, note, caller } = found;
    const outcome = yield* countRequest(database, state, caller, request, timeMs);
    return { ...outcome, session, note };
  }),

  takeSubmission: memory(function* (
    database,
    request: SubmissionRateRequest,
  ): Steps<SubmissionOutcome> {
    const state = limitsOf(database);
    const nowMs = yield* readTime(database, state, request);
    const { allowed, waitMs } = state.rates.takeSubmission(request.key, nowMs);
    const policies = state.rates.state(request.key, nowMs);
    return { allowed, retryAfterMs: waitMs, countedMs: nowMs, policies };
  }),

  giveBackSubmission: memory(function* (
    database,
    request: SubmissionRateRequest & { countedMs: number },
  ): Steps<PolicyState[]> {
    const state = limitsOf(database);
    const nowMs = yield* readTime(database, state, request);
    state.rates.giveBackSubmission(request.key, request.countedMs);
    return state.rates.state(request.key, nowMs);
  }),

  limitState: memory(function* (database, request: SubmissionRateRequest): Steps<PolicyState[]> {
    const state = limitsOf(database);
    return state.rates.state(request.key, yield* readTime(database, state, request));
  }),

  limitStates: memory(function* (
    database,
    request: CallTime & { keys: readonly RatedKey[] },
  ): Steps<PolicyState[][]> {
    const state = limitsOf(database);
    const nowMs = yield* readTime(database, state, request);
    return request.keys.map((key) => state.rates.state(key, nowMs));
  }),
};

function* authenticateKey(
  database: Database,
  id: string,
  keyHash: string,
  request: AdmissionRequest,
) {
  const { nowMs, requestsPerSecond, submissionsPerMinute, resource } = request;
  const secretHash = Buffer.from(keyHash, "base64");
  return yield* authenticate(database, {
    id,
    secretHash,
    nowMs,
    requestsPerSecond,
    submissionsPerMinute,
    resource,
  });
}

function* countRequest(
  database: Database,
  { rates }: LimitMemory,
  caller: Caller,
  request: Limits & Pick<AdmissionRequest, "readOf" | "maxWaitMs"> & { mayWait?: boolean },
  nowMs: number,
): Steps<RateOutcome> {
  const key = ratedKey(caller, request);
  let decision = rates.takeRequest(key, 0, nowMs);
  const mayWait =
    !decision.allowed &&
    (request.mayWait === true || (yield* ownsJob(database, caller, request.readOf)));
  if (mayWait) {
    decision = rates.takeRequest(key, request.maxWaitMs, nowMs);
  }
  const policies = rates.state(key, nowMs);
  const { allowed, waitMs } = decision;
  return allowed
    ? { kind: "admitted", caller, waitMs, policies, searchMs: null }
    : { kind: "refused", caller, retryAfterMs: waitMs, policies };
}

export function ratedKey(caller: Caller, limits: Limits): RatedKey {
  return {
    keyId: caller.ratesKeyId,
    requestsPerSecond: caller.requestsPerSecond ?? limits.requestsPerSecond,
    submissionsPerMinute: caller.submissionsPerMinute ?? limits.submissionsPerMinute,
    account: accountRates(caller),
  };
}

type Sharing = "accountId" | "accountRequestsPerSecond" | "accountSubmissionsPerMinute";

export function accountRates({
  accountId,
  accountRequestsPerSecond: requestsPerSecond = null,
  accountSubmissionsPerMinute: submissionsPerMinute = null,
}: Pick<Caller, Sharing>): AccountRates | null {
  if (requestsPerSecond === null && submissionsPerMinute === null) return null;
  return { accountId, requestsPerSecond, submissionsPerMinute };
}

const limitsOf = perStore(() => ({
  rates: createKeyRates(),
  failedKeys: createFailedKeys(),
  latestMs: null as number | null,
  /** Keeps an expired key expired when the clock is set back. */
  latestWallMs: 0,
}));

type LimitMemory = ReturnType<typeof limitsOf>;

const rebuildWindowMs = 60_000;

/** A call that arrives out of order counts as made at the time of its predecessor. */
function* readTime(database: Database, state: LimitMemory, request: CallTime): Steps<number> {
  const elapsedMs = exactMs(request.elapsedMs);
  if (state.latestMs === null) {
    for (const { ageMs, ...submission } of yield* recentSubmissions(
      database,
      request.nowMs,
      rebuildWindowMs,
    )) {
      state.rates.recordSubmission(submission, elapsedMs - ageMs, elapsedMs);
    }
  }
  state.latestMs = Math.max(state.latestMs ?? elapsedMs, elapsedMs);
  return state.latestMs;
}

/** Multiples of 2^-10 ms have exact sums in floating point. */
function exactMs(ms: number): number {
  return Math.floor(ms * 1_024) / 1_024;
}

function* ownsJob(database: Database, { accountId }: Caller, uuid: string | null): Steps<boolean> {
  if (uuid === null) return false;
  const row = yield* database.get(
    "SELECT 1 FROM job WHERE uuid = :uuid AND account_id = :accountId",
    {
      uuid: uuid.toLowerCase(),
      accountId,
    },
  );
  return row !== undefined;
}
