import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type AccountEnds, createAccountEnds } from "../accounts/admin/account-ends.ts";
import { createLimiter } from "../accounts/limiter.ts";
import type { Archive } from "../archive/archive.ts";
import type { HttpContext } from "../http/context.ts";
import { insecureEvidence } from "../http/dashboard/node-status.ts";
import { createMetrics, type Metrics } from "../http/metrics/metrics.ts";
import { embeddedNodeId } from "../jobs/lease.ts";
import { createJobQueue, type JobQueue } from "../jobs/queue.ts";
import type { Sender } from "../jobs/webhooks/sender.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import type { Upstream } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import { gatewayDefaults } from "../remote/settings.ts";
import { countArchive } from "../search/archive/count.ts";
import { monthOf } from "../upstream/requests/spending.ts";
import type { Config } from "./config.ts";
import type { Control } from "./control.ts";
import { watchDamage } from "./damage-watch.ts";
import { createDashboardRole } from "./dashboard.ts";
import { diskOf } from "./disk.ts";
import { fedPlatforms } from "./fed-platforms.ts";
import { liveSinceOf } from "./live-since.ts";
import { createLog } from "./log.ts";
import { createNodesRole, type NodesRole } from "./nodes.ts";
import { createReadiness } from "./readiness.ts";
import { createIngestRole, type IngestRole } from "./roles.ts";
import { createStatus } from "./status.ts";
import { isStorageFull, watchStore } from "./store-watch.ts";
import { closeStores, type Stores } from "./stores.ts";
import { createUpstreamRole, type UpstreamRole } from "./upstreams.ts";
import { createUsageRole, type UsageRole } from "./usage.ts";
import { packageVersion } from "./version.ts";
import { createWebhookRole } from "./webhooks.ts";

export type AppContext = {
  config: Config;
  clock: Clock;
  random: () => number;
  log: Logger;
  store: Control["store"];
  archive: Archive;
  queue: JobQueue;
  accountEnds: AccountEnds;
  /** Delivers to webhooks. */
  sender: Sender;
  metrics: Metrics;
  ingest: IngestRole;
  upstreams: UpstreamRole;
  nodes: NodesRole;
  usage: UsageRole;
  http: HttpContext;
  close(): Promise<void>;
};

/** Test doubles. */
export type ContextOverrides = {
  clock?: Clock;
  log?: Logger;
  upstreams?: Partial<Record<Platform, Upstream>>;
};

/** Errors: those of `openNodeTrust`. */
export function createContext(
  config: Config,
  { control, archive, onWarning }: Stores,
  overrides: ContextOverrides,
): AppContext {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.log.level);
  const { store, isFull: isStoreFull } = watchStore(control.store, {
    clock,
    log,
    onWrite: (seconds) => metrics.storeWriteSeconds.observe(seconds),
  });
  const limiter = createLimiter(store, clock, config.limits);
  const ingest = createIngestRole(config);
  const liveSinceMs = liveSinceOf(ingest);
  const metrics = createMetrics({
    queueDepth: () => queue.depth(),
    ingest: ingest.state,
    mastodonStream: ingest.mastodonState,
    archive: { archive, clock, coverageSlackMs: config.ingest.coverageSlackMs, liveSinceMs },
    process: {
      version: packageVersion(),
      threads: () => [...control.load(), ...archive.load()],
      disk: () => diskOf(config.data.dir),
    },
    isStoreFull,
    nodes: {
      nodes: () => nodes.gateway.nodes(),
      isInsecure: () => insecureEvidence(nodes.gateway).length > 0,
    },
    waitingDeliveries: () => store.read("countWaitingDeliveries", null),
    monthPostReads: () =>
      store.read("readPostReads", { month: monthOf(clock.now()), platform: "x" }),
  });
  const { webhooks, sender } = createWebhookRole({
    settings: config.webhooks,
    store,
    secretKey: control.secrets.secretKey,
    clock,
    random: Math.random,
    log,
    version: packageVersion(),
    onFault: (fault, message) => {
      if (!isStorageFull(fault)) log.warn({ error: messageOf(fault) }, message);
    },
    onOutcome: (outcome, deliveries) => metrics.webhookDeliveries.inc({ outcome }, deliveries),
  });
  onWarning((message) => log.warn(message));
  watchDamage(archive, log);
  const usage = createUsageRole({ settings: config.usage, store, clock, log, ingest });
  let embeddedJobs = 0;
  const queue = createJobQueue({
    store,
    clock,
    randomUuid: randomUUID,
    settings: config.jobs,
    localNodeId: config.jobs.fastPath === "on" ? embeddedNodeId : null,
    shortSearches: {
      termsOf: (request) => ({
        ...upstreams.askableBy(request),
        fedPlatforms: source.fedPlatforms,
        coverageSlackMs: source.coverageSlackMs,
        liveSinceMs: {
          bluesky: liveSinceMs("bluesky"),
          mastodon: liveSinceMs("mastodon"),
          x: liveSinceMs("x"),
        },
        isMastodonFollowed: ingest.mastodonState() !== null,
      }),
      version: archive.version,
      onAnswered: ({ method }, ms) => {
        metrics.queueSeconds.observe({ method }, 0);
        metrics.runSeconds.observe({ method }, ms / 1000);
      },
    },
    hasNodeFor: (work) => nodes.placing.hasNodeFor(work),
    hasOtherNodeFor: (work, failedOn) => nodes.placing.hasNodeFor(work, failedOn),
    onFailedAttempt: (attempt) => {
      metrics.failedAttempts.inc({ method: attempt.method });
      nodes.noteFailedAttempt(attempt);
    },
    onEnd: (ended) => {
      const { uuid, method, state, attempts, node, ms } = ended;
      metrics.jobsEnded.inc({ method, state });
      log.info({ uuid, method, state, attempts, node, ms }, "job ended");
      usage.recorder.noteSearch(ended);
      nodes.noteEnd(ended);
      if (node === embeddedNodeId) embeddedJobs += 1;
      sender.wake();
    },
    onFault: (fault) => {
      // Logged by the store watch.
      if (isStorageFull(fault)) return;
      log.warn({ error: messageOf(fault) }, "the watch over the jobs failed");
    },
  });
  const accountEnds = createAccountEnds({
    store,
    jobs: queue,
    clock,
    forget: (accountId) => upstreams.forgetAccount(accountId),
    onFault: (fault) => {
      if (isStorageFull(fault)) return;
      log.warn({ error: messageOf(fault) }, "the watch over accounts that end failed");
    },
  });
  const source = {
    archive,
    clock,
    fedPlatforms: fedPlatforms(config),
    coverageSlackMs: config.ingest.coverageSlackMs,
    freshnessOf: ingest.freshnessOf,
    liveSinceMs,
  };
  const upstreams = createUpstreamRole({
    config,
    store,
    secretKey: control.secrets.secretKey,
    source,
    clock,
    random: Math.random,
    onOutcome: (platform, outcome) => metrics.upstreamRequests.inc({ platform, outcome }),
    overrides: overrides.upstreams ?? {},
    elsewhere: {
      isRunHere: config.nodes.embedded !== "off",
      isThere: () => nodes.placing.elsewhere.isThere(),
      answers: (asked) => nodes.placing.elsewhere.answers(asked),
    },
  });
  const { secretKey } = control.secrets;
  const nodes = createNodesRole({
    config,
    store,
    secretKey,
    queue,
    upstreams,
    archive,
    metrics,
    clock,
    log,
  });
  const dashboardRole = createDashboardRole({ config, store, secretKey, clock });
  const http: HttpContext = {
    settings: {
      ...config.http,
      ...config.search,
      ...config.keys,
      limits: config.limits,
      embedded: config.nodes.embedded,
      maxResultBytes: gatewayDefaults.maxResultBytes,
      deadlineGraceMs: config.jobs.deadlineGraceMs,
    },
    clock,
    log,
    metrics,
    limiter,
    accounts: store,
    accountEnds,
    cursorKey: control.secrets.cursorKey,
    jobs: queue,
    webhooks,
    archive,
    nodes: nodes.gateway,
    sources: upstreams.sources,
    dashboard: dashboardRole.dashboard,
    credentials: upstreams.credentials,
    usage: usage.recorder,
    statusBoard: createStatus({
      config,
      archive,
      store,
      clock,
      ingest,
      sampler: usage.sampler,
      sources: upstreams.sources,
      waitingJobs: queue.depth,
      embedded: () => ({
        share: config.nodes.embedded,
        running: queue.runningOf(embeddedNodeId),
        concurrency: config.jobs.concurrency + config.jobs.fetchConcurrency,
        jobs: embeddedJobs,
      }),
      nodes: () => nodes.gateway.nodes(),
    }),
    fetchedPosts: (accountId, id) =>
      store.read("findFetched", { accountId, id, nowMs: clock.now() }),
    countPosts: (request, deadlineMs, signal) => countArchive(source, request, deadlineMs, signal),
    ingest: ingest.state,
    mastodonStream: ingest.mastodonState,
    readerAnswers: createReadiness(archive, clock),
    isStoreFull,
    newId: randomUUID,
  };
  return {
    config,
    clock,
    random: Math.random,
    log,
    store,
    archive,
    queue,
    accountEnds,
    sender,
    metrics,
    ingest,
    upstreams,
    nodes,
    usage,
    http,
    close: async () => {
      await dashboardRole.close();
      await closeStores({ control, archive });
    },
  };
}
