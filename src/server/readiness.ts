import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";

/** A success is cached this long, so that requests cannot keep the readers busy. */
const maxAgeMs = 1_000;
const timeoutMs = 2_000;

/** Concurrent callers share one check. The first starts at creation. */
export function createReadiness(archive: Pick<Archive, "ping">, clock: Clock) {
  let lastSuccessMs = Number.NEGATIVE_INFINITY;
  let pendingPing: Promise<boolean> | null = startPing();

  async function ping(): Promise<boolean> {
    const timerAbort = new AbortController();
    const pingResult = archive.ping().then(
      () => true,
      () => false,
    );
    const timeout = clock.sleep(timeoutMs, timerAbort.signal).then(
      () => false,
      () => false,
    );
    const isReady = await Promise.race([pingResult, timeout]);
    timerAbort.abort();
    if (isReady) lastSuccessMs = clock.elapsed();
    return isReady;
  }

  function startPing(): Promise<boolean> {
    return ping().finally(() => {
      pendingPing = null;
    });
  }

  return async (): Promise<boolean> => {
    if (clock.elapsed() - lastSuccessMs < maxAgeMs) return true;
    pendingPing ??= startPing();
    return await pendingPing;
  };
}
