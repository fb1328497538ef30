import type { AccountStore } from "../../accounts/store.ts";
import type { Clock } from "../../lib/clock.ts";
import { watchCompaction } from "../watches/compaction-watch.ts";
import { watchIngest } from "../watches/ingest-watch.ts";
import type { Base } from "./base.ts";
import type { Search } from "./search.ts";

export type Sweeps = { start(): void; stop(): void };

export function makeSweeps(
  { config, archive, store, clock, log }: Base,
  { ingest }: Search,
): Sweeps {
  const stopController = new AbortController();
  const { signal } = stopController;
  return {
    start: () => {
      void watchIngest({ ...ingest, clock, log, signal });
      void watchCompaction({ archive, clock, log, signal });
      void sweepSessions({ store, clock, idleMs: config.sessions.idleMs, signal });
    },
    stop: () => stopController.abort(),
  };
}

const sweepMs = 600_000;

async function sweepSessions({
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
