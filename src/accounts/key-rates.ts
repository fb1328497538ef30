import type { LimitPolicy, PolicyState } from "./limits.ts";
import { createSlidingLog, type SlidingLog } from "./sliding-log.ts";

/** A key, and how much it may ask for. */
export type RatedKey = {
  keyId: string;
  requestsPerSecond: number;
  submissionsPerMinute: number;
};

/** `waitMs`: until the turn of an allowed call, until a refused one may come again. */
type Turn = { allowed: boolean; waitMs: number };

/**
 * The two limits of every key, each an exact sliding log. A call that is refused costs nothing. Times never go back from one
 * call to the next; where they count from does not matter. A key is forgotten once nothing of it counts any more.
 */
export type KeyRates = {
  /** One request: now, or at the first free turn within `maxWaitMs`. */
  takeRequest(key: RatedKey, maxWaitMs: number, nowMs: number): Turn;
  takeSubmission(key: RatedKey, nowMs: number): Turn;
  /** Undoes a submission that was allowed at `takenMs`. */
  giveBackSubmission(key: RatedKey, takenMs: number): void;
  /** Notes a submission that was made before. The oldest is noted first, and all of them before any other call. */
  noteSubmission(keyId: string, atMs: number, nowMs: number): void;
  /** Both limits, `burst` first. */
  state(key: RatedKey, nowMs: number): PolicyState[];
  /** How many keys are known. */
  size(): number;
};

const windowsMs = { burst: 1_000, search: 60_000 } as const;

type KeyLogs = Record<LimitPolicy, SlidingLog>;

export function createKeyRates(): KeyRates {
  // The key that was quiet longest comes first.
  const keys = new Map<string, KeyLogs>();

  function logsOf(keyId: string, nowMs: number): KeyLogs {
    const logs = keys.get(keyId) ?? {
      burst: createSlidingLog(windowsMs.burst),
      search: createSlidingLog(windowsMs.search),
    };
    keys.delete(keyId);
    keys.set(keyId, logs);
    forgetIdle(nowMs);
    return logs;
  }

  /** Two a call are enough, as a call adds one at most. */
  function forgetIdle(nowMs: number): void {
    let looks = 2;
    for (const [keyId, { burst, search }] of keys) {
      if (looks === 0 || keys.size === 1) return;
      if (burst.used(nowMs) > 0 || search.used(nowMs) > 0) return;
      keys.delete(keyId);
      looks -= 1;
    }
  }

  function take(log: SlidingLog, limit: number, maxWaitMs: number, nowMs: number): Turn {
    const waitMs = log.waitMs(limit, nowMs);
    if (waitMs > maxWaitMs) return { allowed: false, waitMs };
    log.add(nowMs + waitMs, nowMs);
    return { allowed: true, waitMs };
  }

  function policyState(
    policy: LimitPolicy,
    log: SlidingLog,
    limit: number,
    nowMs: number,
  ): PolicyState {
    return {
      policy,
      limit,
      windowMs: windowsMs[policy],
      remaining: Math.max(0, limit - log.used(nowMs)),
      growsInMs: log.growsInMs(limit, nowMs),
    };
  }

  return {
    takeRequest: ({ keyId, requestsPerSecond }, maxWaitMs, nowMs) =>
      take(logsOf(keyId, nowMs).burst, requestsPerSecond, maxWaitMs, nowMs),
    takeSubmission: ({ keyId, submissionsPerMinute }, nowMs) =>
      take(logsOf(keyId, nowMs).search, submissionsPerMinute, 0, nowMs),
    giveBackSubmission: ({ keyId }, takenMs) => keys.get(keyId)?.search.takeBack(takenMs),
    noteSubmission: (keyId, atMs, nowMs) => logsOf(keyId, nowMs).search.add(atMs, nowMs),
    state: (key, nowMs) => {
      const { burst, search } = logsOf(key.keyId, nowMs);
      return [
        policyState("burst", burst, key.requestsPerSecond, nowMs),
        policyState("search", search, key.submissionsPerMinute, nowMs),
      ];
    },
    size: () => keys.size,
  };
}
