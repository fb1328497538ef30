import type { Clock } from "./clock.ts";

/** Shared, because each abort without a reason creates an exception. */
const timerAbortReason = new Error("resolved before the timeout");

/** Null after `waitMs` or on abort. Always calls the function that `subscribe` returns. */
export function firstValue<Value>(
  clock: Clock,
  waitMs: number,
  signal: AbortSignal | undefined,
  subscribe: (settle: (value: Value | null) => void) => () => void,
): Promise<Value | null> {
  if (waitMs <= 0 || signal?.aborted) return Promise.resolve(null);
  return new Promise((resolve) => {
    const timer = new AbortController();
    const settleWithNull = () => settle(null);
    const unsubscribe = subscribe(settle);
    signal?.addEventListener("abort", settleWithNull, { once: true });
    clock.sleep(waitMs, timer.signal).then(settleWithNull, () => undefined);

    function settle(value: Value | null): void {
      unsubscribe();
      signal?.removeEventListener("abort", settleWithNull);
      timer.abort(timerAbortReason);
      resolve(value);
    }
  });
}

/** On abort, calls `onAbort` and rejects with the signal's reason; the work continues. */
export async function unlessAborted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
  onAbort: () => void = () => undefined,
): Promise<Value> {
  signal.throwIfAborted();
  return await new Promise((resolve, reject) => {
    const stop = (): void => {
      onAbort();
      reject(signal.reason);
    };
    signal.addEventListener("abort", stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}
