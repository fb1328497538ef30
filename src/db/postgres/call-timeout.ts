import type { Clock } from "../../lib/clock.ts";
import { storeUnavailable } from "./errors.ts";

type Waiting = { untilMs: number; onTimeout: () => void };

export type CallTimeout = {
  /** Errors: those of the call; `store_unavailable` once it takes too long, after `onTimeout`. */
  within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value>;
  stop(): void;
};

/** A call that takes this many timeouts means that the server is unreachable. */
const timeoutFactor = 2;

/** One timer for all calls: one for each would cost more than its answer. */
export function createCallTimeout(
  timeoutMs: number,
  clock: Pick<Clock, "sleep" | "elapsed">,
): CallTimeout {
  const waitMs = timeoutFactor * timeoutMs;
  const waiting = new Set<Waiting>();
  const stopping = new AbortController();
  let isWatching = false;

  async function watch(): Promise<void> {
    isWatching = true;
    for (const first of waiting) {
      const leftMs = first.untilMs - clock.elapsed();
      if (leftMs > 0) await clock.sleep(leftMs, stopping.signal);
      if (waiting.delete(first)) first.onTimeout();
    }
    isWatching = false;
  }

  function within<Value>(call: Promise<Value>, onTimeout: () => void): Promise<Value> {
    return new Promise((resolve, reject) => {
      const entry: Waiting = {
        untilMs: clock.elapsed() + waitMs,
        onTimeout: () => {
          onTimeout();
          reject(storeUnavailable(`it did not answer within ${waitMs} ms`));
        },
      };
      waiting.add(entry);
      if (!isWatching) watch().catch(() => undefined);
      call.finally(() => waiting.delete(entry)).then(resolve, reject);
    });
  }

  return { within, stop: () => stopping.abort() };
}
