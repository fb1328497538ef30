import type { Clock } from "../../lib/clock.ts";
import { createSlidingLog, type SlidingLog } from "../rates.ts";

/** Users could guess secrets, and the platform would count the guesses against this server. */
export type Attempts = {
  /** Counts an attempt and returns 0, or counts nothing and returns the milliseconds to wait. */
  take(accountId: string): number;
};

const minuteMs = 60_000;
/** Above this number, accounts without a recent attempt are evicted. */
const maxTrackedAccounts = 1_000;

export function createAttempts(perMinute: number, clock: Pick<Clock, "elapsed">): Attempts {
  const logs = new Map<string, SlidingLog>();

  function take(accountId: string): number {
    const nowMs = clock.elapsed();
    const log = logs.get(accountId) ?? createSlidingLog(minuteMs);
    const waitMs = log.waitMs(perMinute, nowMs);
    if (waitMs > 0) return waitMs;
    log.add(nowMs, nowMs);
    if (logs.size >= maxTrackedAccounts) evictIdle(nowMs);
    logs.set(accountId, log);
    return 0;
  }

  function evictIdle(nowMs: number): void {
    for (const [accountId, log] of logs) if (log.countUsed(nowMs) === 0) logs.delete(accountId);
  }

  return { take };
}
