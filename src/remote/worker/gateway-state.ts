import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";

export type GatewayClock = ReturnType<typeof createGatewayClock>;

/** Independent of the local wall clock after the first response. */
export function createGatewayClock(clock: Pick<Clock, "now" | "elapsed">) {
  let offsetMs: number | null = null;

  return {
    now: (): number => (offsetMs === null ? clock.now() : Math.round(clock.elapsed() + offsetMs)),
    /** Returns the correction, or null the first time. */
    learn: (receivedMs: number, sentMs: number): number | null => {
      // Assumes that the gateway read its clock at the midpoint.
      const newOffsetMs = receivedMs - (sentMs + clock.elapsed()) / 2;
      const changeMs = offsetMs === null ? null : newOffsetMs - offsetMs;
      offsetMs = newOffsetMs;
      return changeMs;
    },
  };
}

export type GatewayPin = ReturnType<typeof createGatewayPin>;

/** If no key is configured, pins the first one until the process ends. */
export function createGatewayPin(configuredKey: string | null, onFirstKey: (key: string) => void) {
  let pinnedKey = configuredKey;
  return {
    key: (): string | null => pinnedKey,
    check: (key: string): void => {
      if (pinnedKey === null) onFirstKey(key);
      pinnedKey ??= key;
      if (key === pinnedKey) return;
      const message = `the gateway has the key ${key}, not ${pinnedKey}`;
      throw new EarshotError("gateway_key_mismatch", message, {
        status: 403,
        hint: "check EARSHOT_NODE_GATEWAY and EARSHOT_NODE_GATEWAY_KEY: print the key with earshot nodes key on the gateway",
      });
    },
  };
}

const backoffLimits = { minMs: 250, maxMs: 5_000 };

export type Reachability = ReturnType<typeof createReachability>;

/** Backs off while the gateway is unreachable. */
export function createReachability({
  clock,
  random,
  onChange,
}: {
  clock: Pick<Clock, "elapsed" | "sleep">;
  random: () => number;
  onChange: (error: EarshotError | null) => void;
}) {
  let failures = 0;
  let failedAtMs = Number.NEGATIVE_INFINITY;
  let retryAtMs = Number.NEGATIVE_INFINITY;

  return {
    /** False if this takes longer than `waitMs`. */
    waitOutBackoff: async (waitMs: number, signal?: AbortSignal): Promise<boolean> => {
      const endMs = clock.elapsed() + waitMs;
      for (;;) {
        signal?.throwIfAborted();
        const nowMs = clock.elapsed();
        if (retryAtMs <= nowMs) return true;
        if (endMs <= nowMs) return false;
        await clock.sleep(Math.min(retryAtMs, endMs) - nowMs, signal);
      }
    },
    recordResponse: (): void => {
      if (failures > 0) onChange(null);
      failures = 0;
      retryAtMs = Number.NEGATIVE_INFINITY;
    },
    /** Failures of concurrent requests count as one. */
    recordNetworkFailure: (sentMs: number, error: EarshotError): void => {
      if (sentMs < failedAtMs) return;
      if (failures === 0) onChange(error);
      failedAtMs = clock.elapsed();
      retryAtMs = failedAtMs + backoffMs(failures, backoffLimits, random);
      failures += 1;
    },
  };
}
