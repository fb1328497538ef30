import { Counter, type Registry } from "prom-client";
import type { IngestState } from "../../ingest/ingest-state.ts";
import { stateMetrics } from "./state.ts";

export function addIngestMetrics(registry: Registry, getState: () => IngestState | null): void {
  const registers = [registry];
  const { gauge, counter } = stateMetrics(registry, getState);

  gauge("earshot_ingest_lag_seconds", "Lag of the live stream behind the network", (state) =>
    state.lagMs === null ? null : state.lagMs / 1000,
  );
  gauge("earshot_ingest_connected", "Whether the live stream is connected", (state) =>
    state.status === "connected" ? 1 : 0,
  );
  gauge(
    "earshot_ingest_waiting_events",
    "Pending events of the live stream",
    (state) => state.waitingEvents,
  );
  counter(
    "earshot_ingest_events_total",
    "Events received from the live stream since the start",
    (state) => state.events,
  );
  counter(
    "earshot_ingest_posts_total",
    "Posts received from the live stream since the start",
    (state) => state.posts,
  );
  counter(
    "earshot_ingest_deletes_total",
    "Deletions received from the live stream since the start",
    (state) => state.deletes,
  );
  gauge("earshot_ingest_paused", "Whether the live stream is waiting for the archive", (state) =>
    Number(state.status === "paused"),
  );
  counter(
    "earshot_ingest_bad_frames_total",
    "Invalid frames received from the live stream",
    (state) => state.badFrames,
  );
  counter(
    "earshot_ingest_reconnects_total",
    "Live stream connections that ended",
    (state) => state.reconnects,
  );
  new Counter({
    name: "earshot_ingest_counted_total",
    help: "Increments of post counts from the live stream",
    labelNames: ["metric"],
    registers,
    collect() {
      this.reset();
      for (const [metric, count] of Object.entries(getState()?.counted ?? {})) {
        this.inc({ metric }, count);
      }
    },
  });
  gauge(
    "earshot_labelers_connected",
    "Connected labelers",
    ({ labelers }) => labelers.filter(({ status }) => status === "connected").length,
  );
  counter("earshot_labels_total", "Labels received since the start", ({ labelers }) =>
    labelers.reduce((sum, { labels }) => sum + labels, 0),
  );
  counter(
    "earshot_labels_unreadable_total",
    "Invalid frames and labels received from labelers",
    ({ labelers }) => labelers.reduce((sum, { unreadable }) => sum + unreadable, 0),
  );
  new Counter({
    name: "earshot_lookups_total",
    help: "Accounts looked up",
    labelNames: ["outcome"],
    registers,
    collect() {
      const { found = 0, missing = 0 } = getState()?.lookUp ?? {};
      this.reset();
      this.inc({ outcome: "found" }, found);
      this.inc({ outcome: "missing" }, missing);
    },
  });
  counter(
    "earshot_lookup_failures_total",
    "Failed account lookup requests",
    ({ lookUp }) => lookUp?.failures ?? 0,
  );
}
