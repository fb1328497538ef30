import { monitorEventLoopDelay } from "node:perf_hooks";
import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { IngestState } from "../ingest/ingest-state.ts";
import { addArchiveMetrics, type UpkeepSource } from "./archive-metrics.ts";
import { addIngestMetrics } from "./ingest-metrics.ts";

export type MetricSources = {
  queueDepth(): number;
  ingest(): IngestState | null;
  upkeep: UpkeepSource;
};

export type Metrics = ReturnType<typeof createMetrics>;

/**
 * What `/metrics` tells, in the Prometheus text format. Labels have few values: a route is its template, never an address.
 * docs/metrics.md has an entry for each.
 */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const registers = [registry];

  const requestSeconds = new Histogram({
    name: "earshot_http_request_duration_seconds",
    help: "Time from the request's arrival to the end of its answer",
    labelNames: ["route", "method", "status_class"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers,
  });
  const submissions = new Counter({
    name: "earshot_submissions_total",
    help: "Searches accepted",
    labelNames: ["method"],
    registers,
  });
  const jobsDone = new Counter({
    name: "earshot_jobs_done_total",
    help: "Jobs that are done",
    labelNames: ["method"],
    registers,
  });
  const jobsFailed = new Counter({
    name: "earshot_jobs_failed_total",
    help: "Jobs that ended in error, those whose deadline passed among them",
    labelNames: ["method"],
    registers,
  });
  const failedAttempts = new Counter({
    name: "earshot_failed_attempts_total",
    help: "Attempts at a job that failed, or whose node was lost",
    labelNames: ["method"],
    registers,
  });
  const rateLimited = new Counter({
    name: "earshot_rate_limited_total",
    help: "Requests refused by a rate",
    labelNames: ["policy"],
    registers,
  });
  const heldRequests = new Gauge({
    name: "earshot_held_requests",
    help: "Open requests that wait for the end of a job",
    registers,
  });
  new Gauge({
    name: "earshot_job_queue_depth",
    help: "Jobs that wait for a node",
    registers,
    collect() {
      this.set(sources.queueDepth());
    },
  });
  addIngestMetrics(registry, sources.ingest);
  const archive = addArchiveMetrics(registry, sources.upkeep);
  new Gauge({
    name: "earshot_resident_memory_bytes",
    help: "Resident memory of the process",
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  const loopDelay = monitorEventLoopDelay({ resolution: 20 });
  loopDelay.enable();
  new Gauge({
    name: "earshot_event_loop_delay_p99_seconds",
    help: "99th percentile of the event loop's delay since the last look",
    registers,
    collect() {
      this.set(loopDelay.percentile(99) / 1e9);
      loopDelay.reset();
    },
  });

  return {
    requestSeconds,
    submissions,
    jobsDone,
    jobsFailed,
    failedAttempts,
    rateLimited,
    heldRequests,
    contentType: registry.contentType,
    text: async () => {
      await archive.look();
      return await registry.metrics();
    },
    names: () => registry.getMetricsAsArray().map((metric) => metric.name),
    close: () => loopDelay.disable(),
  };
}
