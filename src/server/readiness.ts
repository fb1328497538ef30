import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";

/** A success is cached this long, so that requests cannot keep the readers busy. */
const maxAgeMs = 1_000;
const timeoutMs = 2_000;

/** Concurrent callers share one check. */
export function createReadiness(archive: Pick<Archive, "ping">, clock: Clock) {
  let lastSuccessMs = Number.NEGATIVE_INFINITY;
  let pinging: Promise<boolean> | null = null;

  async function ping(): Promise<boolean> {
    const timerAbort = new AbortController();
    const pinged = archive.ping().then(
      () => true,
      () => false,
    );
    const timeout = clock.sleep(timeoutMs, timerAbort.signal).then(
      () => false,
      () => false,
    );
    const isReady = await Promise.race([pinged, timeout]);
    timerAbort.abort();
    if (isReady) lastSuccessMs = clock.elapsed();
    return isReady;
  }

  return async (): Promise<boolean> => {
    if (clock.elapsed() - lastSuccessMs < maxAgeMs) return true;
    pinging ??= ping().finally(() => {
      pinging = null;
    });
    return await pinging;
  };
}
