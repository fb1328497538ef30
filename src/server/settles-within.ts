import type { Clock } from "../lib/clock.ts";

/** False after the timeout; rejects if the work rejects before it. */
export async function settlesWithin(
  clock: Pick<Clock, "sleep">,
  timeoutMs: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const timerAbort = new AbortController();
  const timeout = clock.sleep(timeoutMs, timerAbort.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), timeout]);
  } finally {
    timerAbort.abort();
  }
}
