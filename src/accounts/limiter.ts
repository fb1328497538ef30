import { hash } from "node:crypto";
import type { Store } from "../db/operations.ts";
import type { Clock } from "../lib/clock.ts";
import { keyOfAuthorization } from "./api-key.ts";
import type { Caller } from "./authenticate.ts";
import type { RatedKey } from "./key-rates.ts";
import { type AdmissionAsked, type LimitOperations, ratedKey } from "./limit-operations.ts";
import type { LimitPolicy, Limits, PolicyState } from "./limits.ts";
import type {
  CallerSession,
  FoundSession,
  PresentedSession,
  SessionNote,
} from "./sessions/find-session.ts";

/** Both limits of a key, `burst` first, as they stood at a time of the clock's elapsed one. */
export type LimitState = { asOfMs: number; policies: readonly PolicyState[] };

/** What a request brings to be let in. */
export type Entrant = {
  address: string;
  /** The header of that name. */
  authorization: string | undefined;
  /**
   * The job that it reads: when it is the caller's own, the read waits for its turn, oldest first, up to `maxWaitMs`. Null
   * for any other request, which never waits.
   */
  readOf: string | null;
  maxWaitMs: number;
};

type Admission =
  /** Too many different wrong keys came from the address. */
  | { kind: "blocked"; retryAfterMs: number }
  /** No key, or one that is mistyped, unknown, revoked, expired or wrong. */
  | { kind: "unknown" }
  /** The key of an account that is suspended. */
  | { kind: "suspended" }
  /** It may go on after `turnInMs`, for which the caller of this function waits; the turn is spent in any case. */
  | { kind: "admitted"; caller: Caller; turnInMs: number; limits: LimitState }
  | { kind: "refused"; caller: Caller; retryAfterMs: number; limits: LimitState };

/** What a request with a session's cookie brings. */
type SessionEntrant = PresentedSession & Pick<Entrant, "readOf" | "maxWaitMs">;

type SessionAdmission =
  | Exclude<FoundSession, { kind: "live" }>
  | (Extract<Admission, { caller: Caller }> & { session: CallerSession; note: SessionNote });

export type SubmissionDecision = {
  allowed: boolean;
  policy: LimitPolicy;
  retryAfterMs: number;
  limits: LimitState;
  /**
   * Undoes an allowed one whose submission was refused for another reason; once, however often it is called. The state after
   * it; null when there was nothing to undo or the store does not answer, and then it has lost its log anyway.
   */
  giveBack(): Promise<LimitState | null>;
};

/**
 * Two limits a key, each an exact sliding log: `burst`, requests in any second over the whole API, and `search`, submissions
 * in any 60 seconds. A call that is refused costs nothing. One limit an address: different wrong keys in any 60 seconds. The
 * logs are the store's, and shared by all who share it. Time is the clock's elapsed time, so that a wall clock that is put
 * back changes nothing. After a restart, submissions of the last minute still count as far as job rows tell of them: counts
 * have none, nor have jobs that were forgotten. Errors of all: those of the store.
 */
export type Limiter = {
  /** Reads the submissions of the last minute; for a start, as the first call would take as long. */
  restore(): Promise<void>;
  /** Whose key it is, and one request of it, in one call to the store. */
  admit(entrant: Entrant): Promise<Admission>;
  /** Whose session it is, and one request of it, in one call to the store. */
  admitSession(entrant: SessionEntrant): Promise<SessionAdmission>;
  /** One submission of the key. */
  takeSubmission(caller: Caller): Promise<SubmissionDecision>;
  state(caller: Caller): Promise<LimitState>;
  /** Both limits of each key, `burst` first. */
  statesOf(keys: readonly RatedKey[]): Promise<PolicyState[][]>;
};

export function createLimiter(
  store: Pick<Store<LimitOperations>, "inMemory">,
  clock: Clock,
  limits: Limits,
): Limiter {
  const callTime = () => ({ elapsedMs: clock.elapsed(), nowMs: clock.now() });
  const asOf = (policies: readonly PolicyState[]) => ({ asOfMs: clock.elapsed(), policies });

  async function restore(): Promise<void> {
    await store.inMemory("restoreRates", callTime());
  }

  async function admit(entrant: Entrant): Promise<Admission> {
    const { address, authorization, readOf, maxWaitMs } = entrant;
    const answer = await store.inMemory("admit", {
      ...callTime(),
      ...limits,
      ...presentedKey(authorization),
      address,
      readOf,
      maxWaitMs,
    });
    if (!("caller" in answer)) return answer;
    const { policies, ...decision } = answer;
    return { ...decision, limits: asOf(policies) };
  }

  async function admitSession(entrant: SessionEntrant): Promise<SessionAdmission> {
    const answer = await store.inMemory("admitSession", { ...callTime(), ...limits, ...entrant });
    if (answer.kind === "none" || answer.kind === "stolen") return answer;
    const { policies, ...decision } = answer;
    return { ...decision, limits: asOf(policies) };
  }

  async function takeSubmission(caller: Caller): Promise<SubmissionDecision> {
    const key = ratedKey(caller, limits);
    const answer = await store.inMemory("takeSubmission", { ...callTime(), key });
    const { allowed, retryAfterMs, takenMs, policies } = answer;
    let taken = allowed;

    async function giveBack(): Promise<LimitState | null> {
      if (!taken) return null;
      taken = false;
      try {
        return asOf(await store.inMemory("giveBackSubmission", { ...callTime(), key, takenMs }));
      } catch {
        return null;
      }
    }

    return { allowed, policy: "search", retryAfterMs, limits: asOf(policies), giveBack };
  }

  async function state(caller: Caller): Promise<LimitState> {
    const key = ratedKey(caller, limits);
    return asOf(await store.inMemory("limitState", { ...callTime(), key }));
  }

  async function statesOf(keys: readonly RatedKey[]): Promise<PolicyState[][]> {
    return await store.inMemory("limitStates", { ...callTime(), keys });
  }

  return { restore, admit, admitSession, takeSubmission, state, statesOf };
}

/** A wrong key is counted by all that was presented: other digits around the same secret are another guess. */
function presentedKey(
  authorization: string | undefined,
): Pick<AdmissionAsked, "keyId" | "keyHash" | "presentedHash"> {
  if (authorization === undefined) return { keyId: null, keyHash: null, presentedHash: null };
  const key = keyOfAuthorization(authorization);
  return {
    keyId: key?.id ?? null,
    keyHash: key === null ? null : hash("sha256", key.secret, "base64"),
    presentedHash: hash("sha256", authorization, "base64"),
  };
}
