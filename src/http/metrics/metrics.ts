import { Counter, Gauge, Histogram, Registry } from "prom-client";
import type { IngestState, MastodonStreamState } from "../../ingest/ingest-state.ts";
import { type ArchiveMetricSource, addArchiveMetrics } from "./archive.ts";
import { addIngestMetrics } from "./ingest.ts";
import { addJobMetrics } from "./jobs.ts";
import { addMastodonMetrics } from "./mastodon.ts";
import { addNodeMetrics, type NodeMetricSource } from "./nodes.ts";
import { addProcessMetrics, type ProcessSources } from "./process.ts";
import { addStoreMetrics } from "./store.ts";
import { addUpstreamMetrics } from "./upstream.ts";
import { addWebhookMetrics } from "./webhooks.ts";

export type MetricSources = {
  queueDepth(): number;
  ingest(): IngestState | null;
  mastodonStream(): MastodonStreamState | null;
  archive: ArchiveMetricSource;
  process: ProcessSources;
  isStoreFull(): boolean;
  nodes: NodeMetricSource;
  waitingDeliveries(): Promise<number>;
  /** Posts read this calendar month with the deployment's X credentials. */
  monthPostReads(): Promise<number>;
};

export type Metrics = ReturnType<typeof createMetrics>;

/** See docs/metrics.md. Label cardinality is low: a route is its template, never a URL. */
export function createMetrics(sources: MetricSources) {
  const registry = new Registry();
  const registers = [registry];

  const requestSeconds = new Histogram({
    name: "earshot_http_request_duration_seconds",
    help: "Time from a request's arrival to the end of its response",
    labelNames: ["route", "method", "status_class"],
    buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10, 30],
    registers,
  });
  const problems = new Counter({
    name: "earshot_problems_total",
    help: "Requests answered with a problem, by code",
    labelNames: ["code"],
    registers,
  });
  const jobs = addJobMetrics(registry, sources.queueDepth);
  const rateLimited = new Counter({
    name: "earshot_rate_limited_total",
    help: "Requests refused by a rate limit",
    labelNames: ["policy"],
    registers,
  });
  const signIns = new Counter({
    name: "earshot_sign_ins_total",
    help: "Finished sign-ins, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const tokenRequests = new Counter({
    name: "earshot_oauth_token_requests_total",
    help: "Token and revocation requests from connected apps, by outcome",
    labelNames: ["outcome"],
    registers,
  });
  const waitingRequests = new Gauge({
    name: "earshot_waiting_requests",
    help: "Requests waiting for a job",
    registers,
  });
  const store = addStoreMetrics(registry, sources.isStoreFull);
  const webhooks = addWebhookMetrics(registry, sources.waitingDeliveries, sources.archive.clock);
  const upstreams = addUpstreamMetrics(registry, sources.monthPostReads, sources.archive.clock);
  const nodes = addNodeMetrics(registry, sources.nodes);
  addIngestMetrics(registry, sources.ingest);
  addMastodonMetrics(registry, sources.mastodonStream);
  const archive = addArchiveMetrics(registry, sources.archive);
  addProcessMetrics(registry, sources.process);

  return {
    ...jobs,
    ...store,
    ...webhooks,
    ...upstreams,
    ...nodes,
    requestSeconds,
    problems,
    rateLimited,
    signIns,
    tokenRequests,
    waitingRequests,
    contentType: registry.contentType,
    text: async () => {
      await archive.refresh();
      return await registry.metrics();
    },
    names: () => registry.getMetricsAsArray().map((metric) => metric.name),
  };
}
