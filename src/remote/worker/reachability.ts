import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import type { EarshotError } from "../../lib/errors.ts";

/** Between two tries at a gateway that cannot be reached. */
const pauses = { leastMs: 250, mostMs: 5_000 };

/** When a gateway may be asked: at once while it answers, after growing pauses while it does not. */
export type Reachability = {
  /** Resolves with true when it may be asked, with false when that is not so within `waitMs`; rejects as the signal says. */
  turn(waitMs: number, signal?: AbortSignal): Promise<boolean>;
  answered(): void;
  /** A request that was sent at `sentMs`, elapsed time, failed. Those that were under way at one time count as one failure. */
  failed(sentMs: number, fault: EarshotError): void;
};

export type ReachabilityContext = {
  clock: Pick<Clock, "elapsed" | "sleep">;
  random: () => number;
  /** Told once when it is lost, with the fault, and once when it is back. */
  onChange: (fault: EarshotError | null) => void;
};

export function createReachability({ clock, random, onChange }: ReachabilityContext): Reachability {
  let failures = 0;
  let failedMs = Number.NEGATIVE_INFINITY;
  let againMs = Number.NEGATIVE_INFINITY;

  return {
    turn: async (waitMs, signal) => {
      const endMs = clock.elapsed() + waitMs;
      for (;;) {
        signal?.throwIfAborted();
        const nowMs = clock.elapsed();
        if (againMs <= nowMs) return true;
        if (endMs <= nowMs) return false;
        await clock.sleep(Math.min(againMs, endMs) - nowMs, signal);
      }
    },
    answered: () => {
      if (failures > 0) onChange(null);
      failures = 0;
      againMs = Number.NEGATIVE_INFINITY;
    },
    failed: (sentMs, fault) => {
      if (sentMs < failedMs) return;
      if (failures === 0) onChange(fault);
      failedMs = clock.elapsed();
      againMs = failedMs + backoffMs(failures, pauses, random);
      failures += 1;
    },
  };
}
