import { createHash } from "node:crypto";
import type { Clock } from "../lib/clock.ts";
import { addressGroup } from "./address-group.ts";
import type { Caller } from "./authenticate.ts";
import type { Limits } from "./limits.ts";
import { createSlidingLog, type SlidingLog } from "./sliding-log.ts";

/**
 * Two limits a key, each an exact sliding log: `burst`, requests in any second over the whole API, and `search`, submissions
 * in any 60 seconds. A call that is refused costs nothing. Time is the clock's elapsed time, so that a wall clock that is put
 * back changes nothing. One more limit an address: different wrong keys in any 60 seconds; the same one again is no new guess,
 * so that a client that goes on with a revoked key does not lock out those beside it.
 */
type LimitPolicy = "burst" | "search";

export type LimitDecision = { allowed: boolean; retryAfterMs: number; policy: LimitPolicy };

type SubmissionDecision = LimitDecision & {
  /** Undoes an allowed one whose submission was refused for another reason; once, however often it is called. */
  giveBack(): void;
};

type PolicyState = {
  policy: LimitPolicy;
  limit: number;
  windowMs: number;
  remaining: number;
  /** Until `remaining` grows; 0 when nothing is used. */
  growsInMs: number;
};

/** Both policies, `burst` first. */
export type LimitState = readonly PolicyState[];

export type Limiter = {
  /** One request of the key. */
  takeRequest(caller: Caller): LimitDecision;
  /**
   * One request that waits for its turn, oldest first, when the second is used up; refused when its turn is further away than
   * `maxWaitMs`. The turn is spent even when the signal aborts the wait, which rejects with the signal's reason.
   */
  waitForRequest(caller: Caller, maxWaitMs: number, signal?: AbortSignal): Promise<LimitDecision>;
  /** One submission of the key. */
  takeSubmission(caller: Caller): SubmissionDecision;
  state(caller: Caller): LimitState;
  /** Takes over, after a restart, the submissions of the last minute: when they were made, Unix milliseconds. */
  rebuild(submissions: readonly { keyId: string; ms: number }[], nowMs: number): void;
  /** Counts a wrong key of an address, whatever form it has. */
  takeFailedAuth(address: string, wrongKey: string): void;
  /** For how long the address (an IPv6 network of 64 bits counts as one) has used up its wrong keys; 0 when it has not. */
  blockedMs(address: string): number;
};

const burstWindowMs = 1_000;
const searchWindowMs = 60_000;
const failedWindowMs = 60_000;
/** The address that has been quiet longest is forgotten first. */
const maxAddresses = 10_000;

type KeyLogs = { burst: SlidingLog; search: SlidingLog };

export function createLimiter(clock: Clock, limits: Limits): Limiter {
  const keys = new Map<string, KeyLogs>();
  /** When each different wrong key of an address came, oldest first; the keys as hashes. */
  const addresses = new Map<string, Map<string, number>>();

  function logsOf(keyId: string): KeyLogs {
    let logs = keys.get(keyId);
    if (logs === undefined) {
      logs = { burst: createSlidingLog(burstWindowMs), search: createSlidingLog(searchWindowMs) };
      keys.set(keyId, logs);
    }
    return logs;
  }

  const burstLimit = (caller: Caller) => caller.requestsPerSecond ?? limits.requestsPerSecond;
  const searchLimit = (caller: Caller) =>
    caller.submissionsPerMinute ?? limits.submissionsPerMinute;

  function take(
    log: SlidingLog,
    limit: number,
    policy: LimitPolicy,
    maxWaitMs: number,
    nowMs: number,
  ): LimitDecision {
    const retryAfterMs = log.waitMs(limit, nowMs);
    if (retryAfterMs > maxWaitMs) return { allowed: false, retryAfterMs, policy };
    log.add(nowMs + retryAfterMs, nowMs);
    return { allowed: true, retryAfterMs, policy };
  }

  function takeRequest(caller: Caller): LimitDecision {
    return take(logsOf(caller.keyId).burst, burstLimit(caller), "burst", 0, clock.elapsed());
  }

  async function waitForRequest(
    caller: Caller,
    maxWaitMs: number,
    signal?: AbortSignal,
  ): Promise<LimitDecision> {
    const log = logsOf(caller.keyId).burst;
    const turn = take(log, burstLimit(caller), "burst", maxWaitMs, clock.elapsed());
    if (!turn.allowed || turn.retryAfterMs === 0) return turn;
    await clock.sleep(Math.ceil(turn.retryAfterMs), signal);
    return { ...turn, retryAfterMs: 0 };
  }

  function takeSubmission(caller: Caller): SubmissionDecision {
    const log = logsOf(caller.keyId).search;
    const takenMs = clock.elapsed();
    const decision = take(log, searchLimit(caller), "search", 0, takenMs);
    let taken = decision.allowed;
    function giveBack(): void {
      if (taken) log.takeBack(takenMs);
      taken = false;
    }
    return { ...decision, giveBack };
  }

  function state(caller: Caller): LimitState {
    const { burst, search } = logsOf(caller.keyId);
    return [
      policyState("burst", burst, burstLimit(caller), burstWindowMs),
      policyState("search", search, searchLimit(caller), searchWindowMs),
    ];
  }

  function policyState(
    policy: LimitPolicy,
    log: SlidingLog,
    limit: number,
    windowMs: number,
  ): PolicyState {
    const nowMs = clock.elapsed();
    const remaining = Math.max(0, limit - log.used(nowMs));
    return { policy, limit, windowMs, remaining, growsInMs: log.growsInMs(limit, nowMs) };
  }

  function rebuild(submissions: readonly { keyId: string; ms: number }[], nowMs: number): void {
    const elapsedMs = clock.elapsed();
    // One that seems to come from the future was made before the wall clock was put back: it counts as made now.
    const aged = submissions.map(({ keyId, ms }) => ({ keyId, ageMs: Math.max(0, nowMs - ms) }));
    aged.sort((one, other) => other.ageMs - one.ageMs);
    for (const { keyId, ageMs } of aged) logsOf(keyId).search.add(elapsedMs - ageMs, elapsedMs);
  }

  function takeFailedAuth(address: string, wrongKey: string): void {
    const group = addressGroup(address);
    const wrongKeys = addresses.get(group) ?? new Map<string, number>();
    addresses.delete(group);
    addresses.set(group, wrongKeys);
    const nowMs = clock.elapsed();
    forgetPassed(wrongKeys, nowMs);
    const hash = createHash("sha256").update(wrongKey).digest("base64");
    if (wrongKeys.size < limits.failedKeysPerMinute && !wrongKeys.has(hash)) {
      wrongKeys.set(hash, nowMs);
    }
    if (addresses.size <= maxAddresses) return;
    for (const quietest of addresses.keys()) {
      addresses.delete(quietest);
      return;
    }
  }

  function forgetPassed(wrongKeys: Map<string, number>, nowMs: number): void {
    for (const [hash, atMs] of wrongKeys) {
      if (atMs + failedWindowMs > nowMs) return;
      wrongKeys.delete(hash);
    }
  }

  function blockedMs(address: string): number {
    const wrongKeys = addresses.get(addressGroup(address));
    if (wrongKeys === undefined) return 0;
    const nowMs = clock.elapsed();
    forgetPassed(wrongKeys, nowMs);
    if (wrongKeys.size < limits.failedKeysPerMinute) return 0;
    const [oldestMs = nowMs] = wrongKeys.values();
    return oldestMs + failedWindowMs - nowMs;
  }

  return {
    takeRequest,
    waitForRequest,
    takeSubmission,
    state,
    rebuild,
    takeFailedAuth,
    blockedMs,
  };
}
