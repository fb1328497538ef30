import type { Clock } from "../../lib/clock.ts";
import { createSlidingLog, type SlidingLog } from "../sliding-log.ts";

/**
 * Bounds how often an account has a platform asked about credentials: what is given could be guessed, and the platform counts
 * the guesses against this server.
 */
export type Attempts = {
  /** Notes one more; 0, else how many milliseconds it has to wait, and nothing is noted. */
  take(accountId: string): number;
};

const minuteMs = 60_000;
/** With more accounts than this, those that have asked nothing for a minute are forgotten. */
const mostKept = 1_000;

export function createAttempts(perMinute: number, clock: Pick<Clock, "elapsed">): Attempts {
  const logs = new Map<string, SlidingLog>();

  function take(accountId: string): number {
    const nowMs = clock.elapsed();
    const log = logs.get(accountId) ?? createSlidingLog(minuteMs);
    const waitMs = log.waitMs(perMinute, nowMs);
    if (waitMs > 0) return waitMs;
    log.add(nowMs, nowMs);
    if (logs.size >= mostKept) forget(nowMs);
    logs.set(accountId, log);
    return 0;
  }

  function forget(nowMs: number): void {
    for (const [accountId, log] of logs) if (log.used(nowMs) === 0) logs.delete(accountId);
  }

  return { take };
}
