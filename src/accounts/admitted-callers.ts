import type { Clock } from "../lib/clock.ts";
import type { Caller } from "./authenticate.ts";
import type { RateOutcome } from "./limit-operations.ts";

/** Recently admitted callers, by credential hash. Each call checks them again. */
export type AdmittedCallers = {
  /** Forgets a caller that has reached a limit, or that shares limits of its account. */
  record(presentedHash: string, outcome: RateOutcome | null): void;
  find(presentedHash: string): Caller | null;
};

const retentionMs = 60_000;
const maxCallers = 10_000;

export function createAdmittedCallers(clock: Pick<Clock, "elapsed">): AdmittedCallers {
  const callers = new Map<string, { caller: Caller; untilMs: number }>();

  function record(presentedHash: string, outcome: RateOutcome | null): void {
    callers.delete(presentedHash);
    if (outcome === null || !hasRoom(outcome)) return;
    const { caller } = outcome;
    callers.set(presentedHash, { caller, untilMs: clock.elapsed() + retentionMs });
    for (const [oldest] of callers) {
      if (callers.size <= maxCallers) break;
      callers.delete(oldest);
    }
  }

  function find(presentedHash: string): Caller | null {
    const found = callers.get(presentedHash);
    return found === undefined || found.untilMs <= clock.elapsed() ? null : found.caller;
  }

  return { record, find };
}

/**
 * True if another search would be admitted without a wait. False with account limits, which batched
 * statements do not count.
 */
function hasRoom({ kind, caller, policies }: RateOutcome): boolean {
  const { accountRequestsPerSecond: requests, accountSubmissionsPerMinute: submissions } = caller;
  const isShared = (requests ?? null) !== null || (submissions ?? null) !== null;
  return kind === "admitted" && !isShared && policies.every(({ remaining }) => remaining > 0);
}
