import { hash } from "node:crypto";
import type { Store } from "../db/operations.ts";
import type { SearchSubmission, SubmittedSearch } from "../jobs/submissions/search-operations.ts";
import type { Clock } from "../lib/clock.ts";
import type { AdmittedCallers } from "./admitted-callers.ts";
import type { AdmittedSearchOperations } from "./admitted-search-operations.ts";
import { keyOfAuthorization } from "./api-key.ts";
import type { Caller } from "./authenticate.ts";
import { accessToken } from "./grants/grant-tokens.ts";
import {
  type AdmissionRequest,
  type LimitOperations,
  type RateOutcome,
  ratedKey,
} from "./limit-operations.ts";
import type { LimitPolicy, Limits, PolicyState } from "./limits.ts";
import type { RatedKey } from "./rates.ts";
import type {
  CallerSession,
  FoundSession,
  PresentedSession,
  SessionNote,
} from "./sessions/find-session.ts";

/** `policies` begins with `burst`. */
export type LimitState = { asOfMs: number; policies: readonly PolicyState[] };

export type AdmissionParams = {
  address: string;
  authorization: string | undefined;
  /** OAuth resource whose access tokens are also accepted; none if null or absent. */
  resource?: string | null;
  /**
   * The job that the request reads. If it is the caller's, the request may wait its turn for up to
   * `maxWaitMs`.
   */
  readOf: string | null;
  /** The request may wait even if it reads no job. */
  mayWait?: boolean;
  maxWaitMs: number;
  /** The search may be counted with the request. */
  isSubmission?: boolean;
};

export type RecalledAdmission = { caller: Caller; request: AdmissionRequest };

export type Admission =
  | { kind: "blocked"; retryAfterMs: number }
  | { kind: "unknown" }
  | { kind: "suspended" }
  /** Already counted; the caller must wait `waitMs`. */
  | {
      kind: "admitted";
      caller: Caller;
      waitMs: number;
      limits: LimitState;
      search: SubmissionDecision | null;
    }
  | { kind: "refused"; caller: Caller; retryAfterMs: number; limits: LimitState };

type Admitted = Extract<Admission, { kind: "admitted" }>;

type SessionAdmissionParams = PresentedSession &
  Pick<AdmissionParams, "readOf" | "maxWaitMs" | "isSubmission">;

type SessionAdmission =
  | Exclude<FoundSession, { kind: "live" }>
  | (Extract<Admission, { caller: Caller }> & { session: CallerSession; note: SessionNote });

export type SubmissionDecision = {
  allowed: boolean;
  policy: LimitPolicy;
  retryAfterMs: number;
  limits: LimitState;
  /** Idempotent. Null if there was nothing to refund or the store failed. */
  refund(): Promise<LimitState | null>;
};

/**
 * Sliding logs per key: `burst` for requests per second, `search` for submissions per 60 s.
 * Refused calls do not count. Of the calls before a restart, only submissions with a job row count.
 * Errors: those of the store.
 */
export type Limiter = {
  restore(): Promise<void>;
  admit(params: AdmissionParams): Promise<Admission>;
  admitSession(params: SessionAdmissionParams): Promise<SessionAdmission>;
  /** Returns a recently admitted caller, which may be admitted together with its search; else null. */
  recall(params: AdmissionParams): RecalledAdmission | null;
  /**
   * Makes one call to the store. `admission` is null if nothing was counted, `submitted` if the
   * search is `unadmitted`.
   */
  admitSearch(
    recalled: RecalledAdmission,
    search: SearchSubmission,
  ): Promise<{ admission: Admitted | null; submitted: SubmittedSearch | null }>;
  takeSubmission(caller: Caller): Promise<SubmissionDecision>;
  state(caller: Caller): Promise<LimitState>;
  fetchStates(keys: readonly RatedKey[]): Promise<PolicyState[][]>;
};

type LimiterStore = Pick<Store<LimitOperations>, "inMemory"> &
  Pick<Store<AdmittedSearchOperations>, "write">;

export function createLimiter(
  store: LimiterStore,
  clock: Clock,
  limits: Limits,
  admittedCallers: AdmittedCallers | null = null,
): Limiter {
  const callTime = () => ({ elapsedMs: clock.elapsed(), nowMs: clock.now() });
  const makeLimitState = (policies: readonly PolicyState[]) => ({
    asOfMs: clock.elapsed(),
    policies,
  });

  async function restore(): Promise<void> {
    await store.inMemory("restoreRates", callTime());
  }

  function makeRequest(params: AdmissionParams): AdmissionRequest {
    const { authorization, resource = null, ...request } = params;
    return { ...callTime(), ...limits, ...presentedKey(authorization, resource), ...request };
  }

  async function admit(params: AdmissionParams): Promise<Admission> {
    const request = makeRequest(params);
    const outcome = await store.inMemory("admit", request);
    const isAdmitted = "caller" in outcome;
    if (params.isSubmission === true) remember(request, isAdmitted ? outcome : null);
    return isAdmitted ? outcomeAdmission(outcome) : outcome;
  }

  const remember = ({ presentedHash }: AdmissionRequest, outcome: RateOutcome | null): void =>
    presentedHash === null ? undefined : admittedCallers?.record(presentedHash, outcome);

  function recall(params: AdmissionParams): RecalledAdmission | null {
    if (admittedCallers === null || params.authorization === undefined) return null;
    const request = makeRequest(params);
    const caller = admittedCallers.find(request.presentedHash ?? "");
    return caller === null || request.resource !== null ? null : { caller, request };
  }

  async function admitSearch(
    { caller, request }: RecalledAdmission,
    search: SearchSubmission,
  ): Promise<{ admission: Admitted | null; submitted: SubmittedSearch | null }> {
    const { rate, ...rest } = await store.write("admitSearch", {
      ...{ ...search, caller, admission: request },
    });
    const submitted = rest.kind === "unadmitted" ? null : rest;
    if (rate !== null || submitted === null) remember(request, rate);
    const admission = rate === null ? null : outcomeAdmission(rate);
    return { admission: admission?.kind === "admitted" ? admission : null, submitted };
  }

  async function admitSession(params: SessionAdmissionParams): Promise<SessionAdmission> {
    const outcome = await store.inMemory("admitSession", { ...callTime(), ...limits, ...params });
    if (outcome.kind === "none" || outcome.kind === "stolen") return outcome;
    const { session, note } = outcome;
    return { ...outcomeAdmission(outcome), session, note };
  }

  function outcomeAdmission(outcome: RateOutcome): Extract<Admission, { caller: Caller }> {
    const { kind, caller, policies } = outcome;
    const state = makeLimitState(policies);
    if (kind === "refused") {
      return { kind, caller, retryAfterMs: outcome.retryAfterMs, limits: state };
    }
    const { waitMs, searchMs } = outcome;
    const key = ratedKey(caller, limits);
    const search = searchMs === null ? null : allowedSubmission(key, searchMs, state);
    return { kind, caller, waitMs, limits: state, search };
  }

  async function takeSubmission(caller: Caller): Promise<SubmissionDecision> {
    const key = ratedKey(caller, limits);
    const outcome = await store.inMemory("takeSubmission", { ...callTime(), key });
    const { allowed, retryAfterMs, countedMs, policies } = outcome;
    if (allowed) return allowedSubmission(key, countedMs, makeLimitState(policies));
    const refund = async () => null;
    return { allowed, policy: "search", retryAfterMs, limits: makeLimitState(policies), refund };
  }

  function allowedSubmission(
    key: RatedKey,
    countedMs: number,
    state: LimitState,
  ): SubmissionDecision {
    let isCounted = true;

    async function refund(): Promise<LimitState | null> {
      if (!isCounted) return null;
      isCounted = false;
      try {
        return makeLimitState(
          await store.inMemory("giveBackSubmission", { ...callTime(), key, countedMs }),
        );
      } catch {
        return null;
      }
    }

    return { allowed: true, policy: "search", retryAfterMs: 0, limits: state, refund };
  }

  async function state(caller: Caller): Promise<LimitState> {
    const key = ratedKey(caller, limits);
    return makeLimitState(await store.inMemory("limitState", { ...callTime(), key }));
  }

  async function fetchStates(keys: readonly RatedKey[]): Promise<PolicyState[][]> {
    return await store.inMemory("limitStates", { ...callTime(), keys });
  }

  return {
    restore,
    admit,
    admitSession,
    recall,
    admitSearch,
    takeSubmission,
    state,
    fetchStates,
  };
}

/** The same secret with another ID is another guess. */
function presentedKey(
  authorization: string | undefined,
  resource: string | null,
): Pick<AdmissionRequest, "keyId" | "keyHash" | "presentedHash" | "resource"> {
  if (authorization === undefined) {
    return { keyId: null, keyHash: null, presentedHash: null, resource: null };
  }
  const token = resource === null ? null : accessToken.parseAuthorization(authorization);
  const key = token ?? keyOfAuthorization(authorization);
  return {
    resource: token === null ? null : resource,
    keyId: key?.id ?? null,
    keyHash: key === null ? null : hash("sha256", key.secret, "base64"),
    presentedHash: hash("sha256", authorization, "base64"),
  };
}

/**
 * See draft-ietf-httpapi-ratelimit-headers. A general RFC 9651 serialiser would cost more than the
 * limits.
 */
export function rateLimitFields(policies: readonly PolicyState[]) {
  return {
    "RateLimit-Policy": policies
      .map(({ policy, limit, windowMs }) => `"${policy}";q=${limit};w=${windowMs / 1000}`)
      .join(", "),
    RateLimit: policies
      .map(
        ({ policy, remaining, growsInMs }) =>
          `"${policy}";r=${remaining};t=${Math.ceil(growsInMs / 1000)}`,
      )
      .join(", "),
  };
}
