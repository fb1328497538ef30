/**
 * Rates are in the memory of the store, not of an HTTP server: two servers on one store share them, and no request costs a
 * write. After a restart the searches of the last minute are read from the job table; per-second rates and wrong keys start
 * empty.
 */

import type { Database } from "../db/open.ts";
import { memory, perStore } from "../db/operations.ts";
import { authenticate, type Caller } from "./authenticate.ts";
import { createFailedKeys } from "./failed-keys.ts";
import { type AccountRates, createKeyRates, type RatedKey } from "./key-rates.ts";
import type { Limits, PolicyState } from "./limits.ts";
import { recentSubmissions } from "./recent-submissions.ts";
import {
  type CallerSession,
  type FoundSession,
  findSession,
  type PresentedSession,
  type SessionNote,
} from "./sessions/find-session.ts";

/**
 * When a call is made: `elapsedMs` never goes back, and everyone on one store takes it from one clock; `nowMs` is Unix time.
 */
type CallTime = { elapsedMs: number; nowMs: number };

/** With the limits of the deployment, for keys without their own. Flat, and the hash a text, as that travels cheapest. */
export type AdmissionAsked = CallTime &
  Limits & {
    address: string;
    /** Null when what the request brought is no key. */
    keyId: string | null;
    /** SHA-256 in base64 of the key's secret; null when what the request brought is no key. */
    keyHash: string | null;
    /** SHA-256 in base64 of everything that the request presented as its key; null when it presented nothing. */
    presentedHash: string | null;
    /** The job whose read waits for its turn, when it is the caller's own, up to `maxWaitMs`; null for any other request. */
    readOf: string | null;
    maxWaitMs: number;
  };

/** `policies` are the key's limits as they stand after the call, `burst` first. */
export type AdmissionAnswer =
  | { kind: "blocked"; retryAfterMs: number }
  | { kind: "unknown" }
  | { kind: "suspended" }
  | TurnAnswer;

type TurnAnswer =
  | { kind: "admitted"; caller: Caller; turnInMs: number; policies: readonly PolicyState[] }
  | { kind: "refused"; caller: Caller; retryAfterMs: number; policies: readonly PolicyState[] };

export type SessionAdmissionAsked = CallTime &
  Limits &
  PresentedSession &
  Pick<AdmissionAsked, "readOf" | "maxWaitMs">;

export type SessionAdmissionAnswer =
  | Exclude<FoundSession, { kind: "live" }>
  | (TurnAnswer & { session: CallerSession; note: SessionNote });

export type SubmissionAsked = CallTime & { key: RatedKey };

export type SubmissionAnswer = {
  allowed: boolean;
  retryAfterMs: number;
  /** What gives it back. */
  takenMs: number;
  policies: readonly PolicyState[];
};

export type LimitOperations = typeof limitOperations;

/** The limits of keys and addresses. They live in memory, and all contexts on one store share them. */
export const limitOperations = {
  /** Finds out which submissions from before the start still count, which the first call does otherwise. */
  restoreRates: memory((database, asked: CallTime): null => {
    timeOf(database, limitsOf(database), asked);
    return null;
  }),

  /**
   * Whose key a request brings, and its turn: wrong keys of the address first, then the key, then its requests of this second,
   * of which it costs one.
   */
  admit: memory((database, asked: AdmissionAsked): AdmissionAnswer => {
    const held = limitsOf(database);
    const nowMs = timeOf(database, held, asked);
    const { address, failedKeysPerMinute, keyId, keyHash, presentedHash } = asked;
    const blockedMs = held.failedKeys.blockedMs(address, failedKeysPerMinute, nowMs);
    if (blockedMs > 0) return { kind: "blocked", retryAfterMs: blockedMs };
    if (presentedHash === null) return { kind: "unknown" };
    held.latestWallMs = Math.max(held.latestWallMs, asked.nowMs);
    const latest = { ...asked, nowMs: held.latestWallMs };
    const isKey = keyId !== null && keyHash !== null;
    const caller = isKey ? callerOf(database, keyId, keyHash, latest) : null;
    if (caller === "suspended") return { kind: "suspended" };
    if (caller === null) {
      held.failedKeys.note(address, presentedHash, failedKeysPerMinute, nowMs);
      return { kind: "unknown" };
    }
    return turnOf(database, held, caller, asked, nowMs);
  }),

  /** Whose session a request brings, and its turn, as that of a key. */
  admitSession: memory((database, asked: SessionAdmissionAsked): SessionAdmissionAnswer => {
    const held = limitsOf(database);
    const timeMs = timeOf(database, held, asked);
    const found = findSession(database, asked, asked.dashboardRequestsPerSecond, asked.nowMs);
    if (found.kind !== "live") return found;
    const { session, note, caller } = found;
    return { ...turnOf(database, held, caller, asked, timeMs), session, note };
  }),

  /** One submission of the key. */
  takeSubmission: memory((database, asked: SubmissionAsked): SubmissionAnswer => {
    const held = limitsOf(database);
    const nowMs = timeOf(database, held, asked);
    const { allowed, waitMs } = held.rates.takeSubmission(asked.key, nowMs);
    const policies = held.rates.state(asked.key, nowMs);
    return { allowed, retryAfterMs: waitMs, takenMs: nowMs, policies };
  }),

  /** Undoes one submission that was allowed. */
  giveBackSubmission: memory(
    (database, asked: SubmissionAsked & { takenMs: number }): PolicyState[] => {
      const held = limitsOf(database);
      const nowMs = timeOf(database, held, asked);
      held.rates.giveBackSubmission(asked.key, asked.takenMs);
      return held.rates.state(asked.key, nowMs);
    },
  ),

  /** The key's limits as they stand. */
  limitState: memory((database, asked: SubmissionAsked): PolicyState[] => {
    const held = limitsOf(database);
    return held.rates.state(asked.key, timeOf(database, held, asked));
  }),

  /** The limits of several keys, in their order. */
  limitStates: memory(
    (database, asked: CallTime & { keys: readonly RatedKey[] }): PolicyState[][] => {
      const held = limitsOf(database);
      const nowMs = timeOf(database, held, asked);
      return asked.keys.map((key) => held.rates.state(key, nowMs));
    },
  ),
};

function callerOf(database: Database, id: string, keyHash: string, asked: AdmissionAsked) {
  const { nowMs, requestsPerSecond, submissionsPerMinute } = asked;
  const secretHash = Buffer.from(keyHash, "base64");
  return authenticate(database, { id, secretHash, nowMs, requestsPerSecond, submissionsPerMinute });
}

/** A request of the caller: its turn now, or later where it reads a job of its own. */
function turnOf(
  database: Database,
  { rates }: HeldLimits,
  caller: Caller,
  asked: Limits & Pick<AdmissionAsked, "readOf" | "maxWaitMs">,
  nowMs: number,
): TurnAnswer {
  const rated = ratedKey(caller, asked);
  let turn = rates.takeRequest(rated, 0, nowMs);
  if (!turn.allowed && ownsJob(database, caller, asked.readOf)) {
    turn = rates.takeRequest(rated, asked.maxWaitMs, nowMs);
  }
  const policies = rates.state(rated, nowMs);
  const { allowed, waitMs } = turn;
  return allowed
    ? { kind: "admitted", caller, turnInMs: waitMs, policies }
    : { kind: "refused", caller, retryAfterMs: waitMs, policies };
}

/** What a caller may do, and whose rates that uses up; without rates of its own those of the deployment. */
export function ratedKey(caller: Caller, limits: Limits): RatedKey {
  return {
    keyId: caller.ratesKeyId,
    requestsPerSecond: caller.requestsPerSecond ?? limits.requestsPerSecond,
    submissionsPerMinute: caller.submissionsPerMinute ?? limits.submissionsPerMinute,
    account: accountRates(caller),
  };
}

type Sharing = "accountId" | "accountRequestsPerSecond" | "accountSubmissionsPerMinute";

/** What the calls of an account share; null where that is nothing. */
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
  /** The time of the latest call; null before the first. */
  latestMs: null as number | null,
  /** The latest Unix time of any call: a key that has ended stays so when the clock is put back. */
  latestWallMs: 0,
}));

type HeldLimits = ReturnType<typeof limitsOf>;

const rebuiltMs = 60_000;

/**
 * The time of a call. Calls of two contexts may come in another order than they were made in: one that comes late counts as
 * made when the one before it was. The first call finds out which submissions still count from before the store was opened.
 */
function timeOf(database: Database, held: HeldLimits, asked: CallTime): number {
  const elapsedMs = exactMs(asked.elapsedMs);
  if (held.latestMs === null) {
    for (const { ageMs, ...by } of recentSubmissions(database, asked.nowMs, rebuiltMs)) {
      held.rates.noteSubmission(by, elapsedMs - ageMs, elapsedMs);
    }
  }
  held.latestMs = Math.max(held.latestMs ?? elapsedMs, elapsedMs);
  return held.latestMs;
}

/** In steps of 2^-10 ms, of which floating point loses none: a minute from now is 60,000 ms away, and not a bit more. */
function exactMs(ms: number): number {
  return Math.floor(ms * 1_024) / 1_024;
}

function ownsJob(database: Database, { accountId }: Caller, uuid: string | null): boolean {
  if (uuid === null) return false;
  const row = database.get("SELECT 1 FROM job WHERE uuid = :uuid AND account_id = :accountId", {
    uuid: uuid.toLowerCase(),
    accountId,
  });
  return row !== undefined;
}
