import type { Clock } from "../../lib/clock.ts";
import { storeUnavailable } from "./errors.ts";

type PendingCall = { untilMs: number; onTimeout: () => void };

export type CallTimeout = {
  /** Errors: those of the call; `store_unavailable` after `onTimeout` if the call takes too long. */
  within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value>;
  stop(): void;
};

/** If a call takes this many timeouts, the server is unreachable. */
const timeoutFactor = 2;

/** All calls share a timer: a timer for each would cost more than the call. */
export function createCallTimeout(
  timeoutMs: number,
  clock: Pick<Clock, "sleep" | "elapsed">,
): CallTimeout {
  const waitMs = timeoutFactor * timeoutMs;
  const pending = new Set<PendingCall>();
  const stopping = new AbortController();
  let isWatching = false;

  async function watch(): Promise<void> {
    isWatching = true;
    for (const first of pending) {
      const remainingMs = first.untilMs - clock.elapsed();
      if (remainingMs > 0) await clock.sleep(remainingMs, stopping.signal);
      if (pending.delete(first)) first.onTimeout();
    }
    isWatching = false;
  }

  function within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      const entry: PendingCall = {
        untilMs: clock.elapsed() + waitMs,
        onTimeout: () => {
          onTimeout();
          reject(storeUnavailable(`it did not respond within ${waitMs} ms`));
        },
      };
      pending.add(entry);
      if (!isWatching) watch().catch(() => undefined);
      call.finally(() => pending.delete(entry)).then(resolve, reject);
    });
  }

  return { within, stop: () => stopping.abort() };
}
