import type { LimitPolicy, PolicyState } from "./limits.ts";

export type RatedKey = {
  keyId: string;
  requestsPerSecond: number;
  submissionsPerMinute: number;
  account?: AccountRates | null;
};

export type AccountRates = {
  accountId: string;
  requestsPerSecond: number | null;
  submissionsPerMinute: number | null;
};

/** `waitMs`: how long until the call may proceed or, if refused, be repeated. */
type RateDecision = { allowed: boolean; waitMs: number };

/** Exact sliding logs per key and account. Refused calls do not count. Times must not decrease. */
export type KeyRates = {
  takeRequest(key: RatedKey, maxWaitMs: number, nowMs: number): RateDecision;
  takeSubmission(key: RatedKey, nowMs: number): RateDecision;
  /** Reverts a submission allowed at `countedMs`. */
  giveBackSubmission(key: RatedKey, countedMs: number): void;
  /**
   * Records a submission from before a restart. Call it in order of time, before any other method.
   * If `accountId` is null, only the key counts the submission.
   */
  recordSubmission(
    submission: { keyId: string; accountId: string | null },
    atMs: number,
    nowMs: number,
  ): void;
  /** `burst` comes first. `remaining` is the lower of the key's and the account's. */
  state(key: RatedKey, nowMs: number): PolicyState[];
  size(): number;
};

const windowsMs = { burst: 1_000, search: 60_000 } as const;

type Logs = Record<LimitPolicy, SlidingLog>;

type LimitSource = { logs: Logs; rates: RatedKey | AccountRates };

type Bound = { log: SlidingLog; limit: number };

export function createKeyRates(): KeyRates {
  // Least recently used first. Key IDs contain no space, so they cannot collide with account entries.
  const logsById = new Map<string, Logs>();

  function touch(id: string): Logs {
    const logs = logsById.get(id) ?? {
      burst: createSlidingLog(windowsMs.burst),
      search: createSlidingLog(windowsMs.search),
    };
    logsById.delete(id);
    logsById.set(id, logs);
    return logs;
  }

  function keyLimitHolders(key: RatedKey, nowMs: number): readonly LimitSource[] {
    const { account = null } = key;
    const holders: LimitSource[] = [{ logs: touch(key.keyId), rates: key }];
    if (account !== null) holders.push({ logs: touch(accountEntry(account)), rates: account });
    evictIdle(holders.length, nowMs);
    return holders;
  }

  /** Two checks per touched entry suffice, because a touch adds at most one entry. */
  function evictIdle(touched: number, nowMs: number): void {
    let checks = 2 * touched;
    for (const [id, { burst, search }] of logsById) {
      if (checks === 0 || logsById.size <= touched) return;
      if (burst.countUsed(nowMs) > 0 || search.countUsed(nowMs) > 0) return;
      logsById.delete(id);
      checks -= 1;
    }
  }

  function take(
    policy: LimitPolicy,
    holders: readonly LimitSource[],
    maxWaitMs: number,
    nowMs: number,
  ): RateDecision {
    const bounds = policyBounds(policy, holders);
    const waitMs = Math.max(...bounds.map(({ log, limit }) => log.waitMs(limit, nowMs)));
    if (waitMs > maxWaitMs) return { allowed: false, waitMs };
    for (const { log } of bounds) log.add(nowMs + waitMs, nowMs);
    return { allowed: true, waitMs };
  }

  return {
    takeRequest: (key, maxWaitMs, nowMs) =>
      take("burst", keyLimitHolders(key, nowMs), maxWaitMs, nowMs),
    takeSubmission: (key, nowMs) => take("search", keyLimitHolders(key, nowMs), 0, nowMs),
    giveBackSubmission: ({ keyId, account = null }, countedMs) => {
      logsById.get(keyId)?.search.takeBack(countedMs);
      if (account !== null) logsById.get(accountEntry(account))?.search.takeBack(countedMs);
    },
    recordSubmission: ({ keyId, accountId }, atMs, nowMs) => {
      touch(keyId).search.add(atMs, nowMs);
      if (accountId !== null) touch(accountEntry({ accountId })).search.add(atMs, nowMs);
    },
    state: (key, nowMs) => {
      const holders = keyLimitHolders(key, nowMs);
      return [
        policyState("burst", holders, key.requestsPerSecond, nowMs),
        policyState("search", holders, key.submissionsPerMinute, nowMs),
      ];
    },
    size: () => logsById.size,
  };
}

function policyState(
  policy: LimitPolicy,
  holders: readonly LimitSource[],
  limit: number,
  nowMs: number,
): PolicyState {
  const states = policyBounds(policy, holders).map((bound) => ({
    remaining: Math.max(0, bound.limit - bound.log.countUsed(nowMs)),
    growsInMs: bound.log.growsInMs(bound.limit, nowMs),
  }));
  const remaining = Math.min(...states.map((state) => state.remaining));
  const lowest = states.filter((state) => state.remaining === remaining);
  const growsInMs = Math.max(...lowest.map((state) => state.growsInMs));
  return { policy, limit, windowMs: windowsMs[policy], remaining, growsInMs };
}

function policyBounds(policy: LimitPolicy, holders: readonly LimitSource[]): Bound[] {
  return holders.flatMap(({ logs, rates }) => {
    const limit = policy === "burst" ? rates.requestsPerSecond : rates.submissionsPerMinute;
    return limit === null ? [] : [{ log: logs[policy], limit }];
  });
}

function accountEntry({ accountId }: Pick<AccountRates, "accountId">): string {
  return `account ${accountId}`;
}

/**
 * Exact: no window exceeds the limit, wherever it starts. Times must not decrease, but may be in
 * the future. A check takes O(log n).
 */
export type SlidingLog = {
  countUsed(nowMs: number): number;
  waitMs(limit: number, nowMs: number): number;
  growsInMs(limit: number, nowMs: number): number;
  /** Records a call at `atMs`, but not before the last recorded call. */
  add(atMs: number, nowMs: number): void;
  /** Removes the newest call at this time, if any. */
  takeBack(atMs: number): void;
};

const initialCapacity = 8;

export function createSlidingLog(windowMs: number): SlidingLog {
  let times = new Float64Array(initialCapacity);
  let head = 0;
  let size = 0;

  function timeAt(index: number): number {
    return times[(head + index) % times.length] ?? 0;
  }

  function expiryAt(index: number): number {
    return timeAt(index) + windowMs;
  }

  /** Index of the oldest call that still counts. */
  function firstCountedIndex(nowMs: number): number {
    let low = 0;
    let high = size;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (expiryAt(middle) <= nowMs) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  function countUsed(nowMs: number): number {
    return size - firstCountedIndex(nowMs);
  }

  function waitMs(limit: number, nowMs: number): number {
    const firstIndex = firstCountedIndex(nowMs);
    const excess = size - firstIndex - limit;
    return excess < 0 ? 0 : expiryAt(firstIndex + excess) - nowMs;
  }

  function growsInMs(limit: number, nowMs: number): number {
    const firstIndex = firstCountedIndex(nowMs);
    const excess = Math.max(0, size - firstIndex - limit);
    return firstIndex === size ? 0 : expiryAt(firstIndex + excess) - nowMs;
  }

  function add(atMs: number, nowMs: number): void {
    if (size === times.length) makeRoom(firstCountedIndex(nowMs));
    times[(head + size) % times.length] = size === 0 ? atMs : Math.max(atMs, timeAt(size - 1));
    size += 1;
  }

  function makeRoom(expiredCount: number): void {
    if (expiredCount > 0) {
      head = (head + expiredCount) % times.length;
      size -= expiredCount;
      return;
    }
    const grownTimes = new Float64Array(times.length * 2);
    grownTimes.set(times.subarray(head), 0);
    grownTimes.set(times.subarray(0, head), times.length - head);
    times = grownTimes;
    head = 0;
  }

  function takeBack(atMs: number): void {
    let index = size - 1;
    while (index >= 0 && timeAt(index) > atMs) index -= 1;
    if (index < 0 || timeAt(index) !== atMs) return;
    for (; index + 1 < size; index += 1) {
      times[(head + index) % times.length] = timeAt(index + 1);
    }
    size -= 1;
  }

  return { countUsed, waitMs, growsInMs, add, takeBack };
}
