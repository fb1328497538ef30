import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";

/** The gateway's clock: signatures are dated by it, and the times of jobs compared with it. */
export type GatewayClock = {
  /** Unix milliseconds at the gateway; this machine's own before the first `learn`. */
  now(): number;
  /**
   * Takes over the time from the answer to a request that was sent at `sentMs`, elapsed time. Returns the change from the time
   * that was assumed; null the first time.
   */
  learn(receivedMs: number, sentMs: number): number | null;
};

/** Advances by this machine's elapsed time, so that changes of its wall clock have no effect. */
export function createGatewayClock(clock: Pick<Clock, "now" | "elapsed">): GatewayClock {
  let offsetMs: number | null = null;

  return {
    now: () => (offsetMs === null ? clock.now() : Math.round(clock.elapsed() + offsetMs)),
    learn: (receivedMs, sentMs) => {
      // The gateway read its clock somewhere between the request and its answer.
      const newOffsetMs = receivedMs - (sentMs + clock.elapsed()) / 2;
      const changeMs = offsetMs === null ? null : newOffsetMs - offsetMs;
      offsetMs = newOffsetMs;
      return changeMs;
    },
  };
}

/** The gateway that a node works for, identified by its key. */
export type GatewayPin = {
  /** Null until there is one. */
  key(): string | null;
  /** Errors: `gateway_key_mismatch` for another key. */
  check(key: string): void;
};

/** Pins the configured key; without one, the first key for as long as the node runs, which `onFirst` reports. */
export function createGatewayPin(known: string | null, onFirst: (key: string) => void): GatewayPin {
  let pinned = known;
  return {
    key: () => pinned,
    check: (key) => {
      if (pinned === null) onFirst(key);
      pinned ??= key;
      if (key === pinned) return;
      const message = `the gateway has the key ${key}, not ${pinned}`;
      throw new EarshotError("gateway_key_mismatch", message, {
        status: 403,
        hint: "check EARSHOT_NODE_GATEWAY and EARSHOT_NODE_GATEWAY_KEY; `earshot nodes key` at the gateway prints its key",
      });
    },
  };
}

/** Pauses between attempts while the gateway cannot be reached. */
const pauses = { leastMs: 250, mostMs: 5_000 };

/** When to send requests: at once while the gateway answers, after growing pauses while it does not. */
export type Reachability = {
  /** True when a request may be sent, false when that takes longer than `waitMs`; rejects with the signal's reason. */
  turn(waitMs: number, signal?: AbortSignal): Promise<boolean>;
  answered(): void;
  /** A request that was sent at `sentMs`, elapsed time, failed. Concurrent requests count as one failure. */
  failed(sentMs: number, error: EarshotError): void;
};

export type ReachabilityContext = {
  clock: Pick<Clock, "elapsed" | "sleep">;
  random: () => number;
  /** Called once with the error when the gateway is lost, and once with null when it is back. */
  onChange: (error: EarshotError | null) => void;
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
    failed: (sentMs, error) => {
      if (sentMs < failedMs) return;
      if (failures === 0) onChange(error);
      failedMs = clock.elapsed();
      againMs = failedMs + backoffMs(failures, pauses, random);
      failures += 1;
    },
  };
}
