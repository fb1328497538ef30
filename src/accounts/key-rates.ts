import type { LimitPolicy, PolicyState } from "./limits.ts";
import { createSlidingLog, type SlidingLog } from "./sliding-log.ts";

/** A key, and how much it may ask for. */
export type RatedKey = {
  keyId: string;
  requestsPerSecond: number;
  submissionsPerMinute: number;
  /** What its account's calls may ask for together; left out or null: as much as its keys may. */
  account?: AccountRates | null;
};

/** What the calls of an account may ask for together; null: as much as its keys may. */
export type AccountRates = {
  accountId: string;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

/** `waitMs`: until the turn of an allowed call, until a refused one may come again. */
type Turn = { allowed: boolean; waitMs: number };

/**
 * The two limits of every key, each an exact sliding log, and those of accounts that have their own, which a call of a key
 * counts against as well. A call that is refused costs nothing. Times never go back from one call to the next; where they count
 * from does not matter. A key is forgotten once nothing of it counts any more, and so is an account.
 */
export type KeyRates = {
  /** One request: now, or at the first free turn within `maxWaitMs`. */
  takeRequest(key: RatedKey, maxWaitMs: number, nowMs: number): Turn;
  takeSubmission(key: RatedKey, nowMs: number): Turn;
  /** Undoes a submission that was allowed at `takenMs`. */
  giveBackSubmission(key: RatedKey, takenMs: number): void;
  /**
   * Notes a submission that was made before; `accountId` is null where it counts against the key alone. The oldest is noted
   * first, and all of them before any other call.
   */
  noteSubmission(
    by: { keyId: string; accountId: string | null },
    atMs: number,
    nowMs: number,
  ): void;
  /** Both limits, `burst` first: what is left of the key's, or of its account's where that is less. */
  state(key: RatedKey, nowMs: number): PolicyState[];
  /** How many keys and accounts are known. */
  size(): number;
};

const windowsMs = { burst: 1_000, search: 60_000 } as const;

type Logs = Record<LimitPolicy, SlidingLog>;

/** Whose limits a call counts against. */
type Bearer = { logs: Logs; rates: RatedKey | AccountRates };

/** A log, and how many calls it lets through. */
type Bound = { log: SlidingLog; limit: number };

export function createKeyRates(): KeyRates {
  // Who was quiet longest comes first. Ids of keys hold no space.
  const held = new Map<string, Logs>();

  function touch(id: string): Logs {
    const logs = held.get(id) ?? {
      burst: createSlidingLog(windowsMs.burst),
      search: createSlidingLog(windowsMs.search),
    };
    held.delete(id);
    held.set(id, logs);
    return logs;
  }

  /** Whose limits a call of the key counts against: the key's, and its account's where that has any. */
  function bearersOf(key: RatedKey, nowMs: number): readonly Bearer[] {
    const { account = null } = key;
    const bearers: Bearer[] = [{ logs: touch(key.keyId), rates: key }];
    if (account !== null) bearers.push({ logs: touch(accountIn(account)), rates: account });
    forgetIdle(bearers.length, nowMs);
    return bearers;
  }

  /** Two a touch are enough, as a touch adds one at most. Those that were touched last stay. */
  function forgetIdle(touched: number, nowMs: number): void {
    let looks = 2 * touched;
    for (const [id, { burst, search }] of held) {
      if (looks === 0 || held.size <= touched) return;
      if (burst.used(nowMs) > 0 || search.used(nowMs) > 0) return;
      held.delete(id);
      looks -= 1;
    }
  }

  function take(
    policy: LimitPolicy,
    bearers: readonly Bearer[],
    maxWaitMs: number,
    nowMs: number,
  ): Turn {
    const bounds = boundsOf(policy, bearers);
    const waitMs = Math.max(...bounds.map(({ log, limit }) => log.waitMs(limit, nowMs)));
    if (waitMs > maxWaitMs) return { allowed: false, waitMs };
    for (const { log } of bounds) log.add(nowMs + waitMs, nowMs);
    return { allowed: true, waitMs };
  }

  return {
    takeRequest: (key, maxWaitMs, nowMs) => take("burst", bearersOf(key, nowMs), maxWaitMs, nowMs),
    takeSubmission: (key, nowMs) => take("search", bearersOf(key, nowMs), 0, nowMs),
    giveBackSubmission: ({ keyId, account = null }, takenMs) => {
      held.get(keyId)?.search.takeBack(takenMs);
      if (account !== null) held.get(accountIn(account))?.search.takeBack(takenMs);
    },
    noteSubmission: ({ keyId, accountId }, atMs, nowMs) => {
      touch(keyId).search.add(atMs, nowMs);
      if (accountId !== null) touch(accountIn({ accountId })).search.add(atMs, nowMs);
    },
    state: (key, nowMs) => {
      const bearers = bearersOf(key, nowMs);
      return [
        policyState("burst", bearers, key.requestsPerSecond, nowMs),
        policyState("search", bearers, key.submissionsPerMinute, nowMs),
      ];
    },
    size: () => held.size,
  };
}

/** What is left is what is left of the least. */
function policyState(
  policy: LimitPolicy,
  bearers: readonly Bearer[],
  limit: number,
  nowMs: number,
): PolicyState {
  const states = boundsOf(policy, bearers).map((bound) => ({
    remaining: Math.max(0, bound.limit - bound.log.used(nowMs)),
    growsInMs: bound.log.growsInMs(bound.limit, nowMs),
  }));
  const remaining = Math.min(...states.map((state) => state.remaining));
  const least = states.filter((state) => state.remaining === remaining);
  const growsInMs = Math.max(...least.map((state) => state.growsInMs));
  return { policy, limit, windowMs: windowsMs[policy], remaining, growsInMs };
}

function boundsOf(policy: LimitPolicy, bearers: readonly Bearer[]): Bound[] {
  return bearers.flatMap(({ logs, rates }) => {
    const limit = policy === "burst" ? rates.requestsPerSecond : rates.submissionsPerMinute;
    return limit === null ? [] : [{ log: logs[policy], limit }];
  });
}

function accountIn({ accountId }: Pick<AccountRates, "accountId">): string {
  return `account ${accountId}`;
}
