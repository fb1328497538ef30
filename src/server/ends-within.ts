import type { Clock } from "../lib/clock.ts";

/** False on timeout; rejects if the work does. */
export async function endsWithin(
  clock: Pick<Clock, "sleep">,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const over = new AbortController();
  const tooLate = clock.sleep(ms, over.signal).then(
    () => false,
    () => true,
  );
  try {
    return await Promise.race([work.then(() => true), tooLate]);
  } finally {
    over.abort();
  }
}
