import type { AccountStore } from "../../accounts/store.ts";
import type { Clock } from "../../lib/clock.ts";

const sweepMs = 600_000;

export async function sweepSessions({
  store,
  clock,
  idleMs,
  signal,
}: {
  store: AccountStore;
  clock: Clock;
  idleMs: number;
  signal: AbortSignal;
}): Promise<void> {
  while (!signal.aborted) {
    // The next sweep retries; expired entries are invalid anyway.
    await store.write("sweepSessions", { idleMs, nowMs: clock.now() }).catch(() => undefined);
    await clock.sleep(sweepMs, signal).catch(() => undefined);
  }
}
