import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { type AccountEnds, createAccountEnds } from "../accounts/admin/account-ends.ts";
import { createLimiter } from "../accounts/limiter.ts";
import type { Archive } from "../archive/archive.ts";
import type { HttpContext } from "../http/context.ts";
import { createMetrics, type Metrics } from "../http/metrics.ts";
import { createJobQueue, type JobQueue } from "../jobs/queue.ts";
import type { Sender } from "../jobs/webhooks/sender.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { countArchive } from "../platforms/archive/count.ts";
import { monthOf } from "../platforms/requests/spending.ts";
import type { Upstream } from "../platforms/upstream.ts";
import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";
import type { Control } from "./control.ts";
import { createDashboardRole } from "./dashboard.ts";
import { diskOf } from "./disk.ts";
import { createLog } from "./log.ts";
import { createReadiness } from "./readiness.ts";
import { createIngestRole, fedPlatforms, type IngestRole } from "./roles.ts";
import { createStatus } from "./status.ts";
import { isStorageFull, watchStore } from "./store-watch.ts";
import { closeStores, type Stores } from "./stores.ts";
import { createUpstreamRole, type UpstreamRole } from "./upstreams.ts";
import { createUsageRole, type UsageRole } from "./usage.ts";
import { packageVersion } from "./version.ts";
import { createWebhookRole } from "./webhooks.ts";

/** Everything that the parts of the service share, wired here and nowhere else. */
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
  usage: UsageRole;
  http: HttpContext;
  close(): Promise<void>;
};

/** What tests put in the place of the real thing. */
export type ContextOverrides = {
  clock?: Clock;
  log?: Logger;
  upstreams?: Partial<Record<Platform, Upstream>>;
};

/** Wires everything over stores that are open. */
export function createContext(
  config: Config,
  { control, archive }: Stores,
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
  const metrics = createMetrics({
    queueDepth: () => queue.depth(),
    ingest: ingest.state,
    mastodonStream: ingest.mastodonState,
    archive: { archive, clock, coverageSlackMs: config.ingest.coverageSlackMs },
    process: {
      version: packageVersion(),
      threads: () => [...control.load(), ...archive.load()],
      disk: () => diskOf(config.data.dir),
    },
    isStoreFull,
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
  const usage = createUsageRole({ settings: config.usage, store, clock, log, ingest });
  let embeddedJobs = 0;
  const queue = createJobQueue({
    store,
    clock,
    randomUuid: randomUUID,
    settings: config.jobs,
    onFailedAttempt: (method) => metrics.failedAttempts.inc({ method }),
    onEnd: (ended) => {
      const { uuid, method, state, attempts, ms } = ended;
      metrics.jobsEnded.inc({ method, state });
      log.info({ uuid, method, state, attempts, ms }, "job ended");
      usage.recorder.noteSearch(ended);
      // Of those that were cancelled before, no node has seen anything.
      if (attempts > 0) embeddedJobs += 1;
      sender.wake();
    },
    onFault: (fault) => {
      // A full disk is told of once, by the watch over the store.
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
  });
  const { secretKey } = control.secrets;
  const dashboardRole = createDashboardRole({ config, store, secretKey, clock });
  const http: HttpContext = {
    settings: {
      ...config.http,
      ...config.search,
      ...config.keys,
      limits: config.limits,
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
      embeddedJobs: () => embeddedJobs,
    }),
    fetchedPosts: (accountId, id) =>
      store.read("findFetched", { accountId, id, nowMs: clock.now() }),
    countPosts: (request, deadlineMs) => countArchive(source, request, deadlineMs),
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
    usage,
    http,
    close: async () => {
      await dashboardRole.close();
      await closeStores({ control, archive });
    },
  };
}
