import { randomUUID } from "node:crypto";
import type { HttpContext } from "../../http/context.ts";
import { insecureEvidence } from "../../http/dashboard/node-status.ts";
import { createMetrics, type Metrics } from "../../http/metrics/metrics.ts";
import { embeddedNodeId } from "../../jobs/leases/lease.ts";
import { countArchive } from "../../search/archive/count.ts";
import { utcMonth } from "../../upstream/requests/spending.ts";
import { createSampleLoader } from "../load-samples.ts";
import { createStatus } from "../roles/status.ts";
import type { ServiceEvents } from "../service-events.ts";
import { packageVersion } from "../version.ts";
import { readDiskSpace } from "../watches/disk.ts";
import type { Accounts } from "./accounts.ts";
import type { Base } from "./base.ts";
import type { Jobs } from "./jobs.ts";
import type { Nodes } from "./nodes.ts";
import type { Routing } from "./routing.ts";
import type { Search } from "./search.ts";

export type Http = { readonly http: HttpContext; readonly metrics: Metrics };

type LowerLayers = Base & Accounts & Search & Routing & Jobs & { nodes: Nodes };

export function makeHttp(layers: LowerLayers): Http {
  const { config, clock, archive, store, source, ingest, nodes } = layers;
  const metrics = makeMetrics(layers);
  recordMetrics(layers.events, metrics);
  const http: HttpContext = {
    settings: {
      ...config.http,
      ...config.search,
      ...config.keys,
      limits: config.limits,
      embedded: config.nodes.embedded,
      deadlineGraceMs: config.jobs.deadlineGraceMs,
      xMonthlyPostReads: config.upstreams.xMonthlyPostReads,
    },
    clock,
    log: layers.log,
    metrics,
    limiter: layers.limiter,
    accounts: store,
    accountFinalizer: layers.accountFinalizer,
    cursorKey: layers.secrets.cursorKey,
    jobs: layers.queue,
    webhooks: layers.webhooks,
    archive,
    nodes: nodes.gateway,
    sources: layers.sources,
    dashboard: layers.dashboard,
    credentials: layers.upstreams.credentials,
    usage: layers.usage.recorder,
    statusBoard: makeStatusBoard(layers),
    loadSamples: createSampleLoader({ archive, clock, config }),
    fetchedPosts: (accountId, id) =>
      store.read("findFetched", { accountId, id, nowMs: clock.now() }),
    countPosts: (request, deadlineMs, signal) => countArchive(source, request, deadlineMs, signal),
    ingest: ingest.state,
    mastodonStream: ingest.mastodonState,
    canReadArchive: layers.canReadArchive,
    isStoreFull: layers.isStoreFull,
    newId: randomUUID,
  };
  return { http, metrics };
}

function makeMetrics(layers: LowerLayers): Metrics {
  const { config, store, archive, clock, ingest, source, queue, nodes } = layers;
  const { coverageSlackMs, liveSinceMs } = source;
  return createMetrics({
    queueDepth: queue.depth,
    ingest: ingest.state,
    mastodonStream: ingest.mastodonState,
    archive: { archive, clock, coverageSlackMs, liveSinceMs },
    process: {
      version: packageVersion(),
      threads: layers.threadLoad,
      disk: () => readDiskSpace(config.data.dir),
    },
    isStoreFull: layers.isStoreFull,
    nodes: {
      nodes: () => nodes.gateway.nodes(),
      isInsecure: () => insecureEvidence(nodes.gateway).length > 0,
    },
    waitingDeliveries: () => store.read("countWaitingDeliveries", null),
    monthPostReads: () =>
      store.read("readPostReads", { month: utcMonth(clock.now()), platform: "x" }),
  });
}

function makeStatusBoard(layers: LowerLayers): HttpContext["statusBoard"] {
  const { config, archive, store, clock, ingest, sources, queue, nodes, events } = layers;
  const { concurrency, fetchConcurrency } = config.jobs;
  let jobs = 0;
  events.on("jobEnded", ({ node }) => {
    if (node === embeddedNodeId) jobs += 1;
  });
  return createStatus({
    ...{ config, archive, store, clock, ingest, sources },
    sampler: layers.usage.sampler,
    waitingJobs: queue.depth,
    embedded: () => ({
      mode: config.nodes.embedded,
      running: queue.countRunning(embeddedNodeId),
      concurrency: concurrency + fetchConcurrency,
      jobs,
    }),
    nodes: () => nodes.gateway.nodes(),
  });
}

function recordMetrics(events: ServiceEvents, metrics: Metrics): void {
  events.on("storeWritten", ({ seconds }) => metrics.storeWriteSeconds.observe(seconds));
  events.on("upstreamRequested", (labels) => metrics.upstreamRequests.inc(labels));
  events.on("jobEnded", ({ method, state }) => metrics.jobsEnded.inc({ method, state }));
  events.on("shortSearchAnswered", ({ method, ms }) => {
    metrics.queueSeconds.observe({ method }, 0);
    metrics.runSeconds.observe({ method }, ms / 1000);
    metrics.shortSearches.inc({ outcome: "answered" });
  });
  events.on("shortSearchSkipped", ({ reason }) => metrics.shortSearches.inc({ outcome: reason }));
  events.on("attemptFailed", ({ method }) => metrics.failedAttempts.inc({ method }));
  events.on("deliveriesEnded", ({ outcome, deliveries }) =>
    metrics.webhookDeliveries.inc({ outcome }, deliveries),
  );
  events.on("jobDispatched", (labels) => metrics.nodeDispatches.inc(labels));
  events.on("nodeAnswerRefused", (labels) => metrics.refusedNodeAnswers.inc(labels));
  events.on("nodeRegistered", (labels) => metrics.nodeRegistrations.inc(labels));
  events.on("credentialReleased", ({ platform, owner }) =>
    metrics.releasedCredentials.inc({ platform, owner }),
  );
}
