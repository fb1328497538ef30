import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";

export type GatewayClock = {
  now(): number;
  /** Returns the correction; null the first time. */
  learn(receivedMs: number, sentMs: number): number | null;
};

/** Independent of the local wall clock. */
export function createGatewayClock(clock: Pick<Clock, "now" | "elapsed">): GatewayClock {
  let offsetMs: number | null = null;

  return {
    now: () => (offsetMs === null ? clock.now() : Math.round(clock.elapsed() + offsetMs)),
    learn: (receivedMs, sentMs) => {
      // The gateway read its clock in between.
      const newOffsetMs = receivedMs - (sentMs + clock.elapsed()) / 2;
      const changeMs = offsetMs === null ? null : newOffsetMs - offsetMs;
      offsetMs = newOffsetMs;
      return changeMs;
    },
  };
}

export type GatewayPin = {
  key(): string | null;
  check(key: string): void;
};

/** Without a configured key, pins the first one until the process ends. */
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
        hint: "check EARSHOT_NODE_GATEWAY and EARSHOT_NODE_GATEWAY_KEY: print the key with earshot nodes key on the gateway",
      });
    },
  };
}

const pauses = { leastMs: 250, mostMs: 5_000 };

/** Growing delays while the gateway does not answer. */
export type Reachability = {
  /** False after `waitMs`. */
  turn(waitMs: number, signal?: AbortSignal): Promise<boolean>;
  answered(): void;
  /** Concurrent requests count as one failure. */
  failed(sentMs: number, error: EarshotError): void;
};

export type ReachabilityContext = {
  clock: Pick<Clock, "elapsed" | "sleep">;
  random: () => number;
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
