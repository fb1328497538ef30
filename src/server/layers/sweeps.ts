import { watchCompaction } from "../watches/compaction-watch.ts";
import { watchIngest } from "../watches/ingest-watch.ts";
import { sweepSessions } from "../watches/session-sweep.ts";
import type { Base } from "./base.ts";
import type { Search } from "./search.ts";

export type Sweeps = { start(): void; stop(): void };

export function makeSweeps(
  { config, archive, store, clock, log }: Base,
  { ingest }: Search,
): Sweeps {
  const stopping = new AbortController();
  const { signal } = stopping;
  return {
    start: () => {
      void watchIngest({ ...ingest, clock, log, signal });
      void watchCompaction({ archive, clock, log, signal });
      void sweepSessions({ store, clock, idleMs: config.sessions.idleMs, signal });
    },
    stop: () => stopping.abort(),
  };
}
