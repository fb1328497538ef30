import { randomUUID } from "node:crypto";
import type { Logger } from "pino";
import { authenticate } from "../accounts/authenticate.ts";
import { createLimiter } from "../accounts/limiter.ts";
import type { Archive } from "../archive/archive.ts";
import type { HttpContext } from "../http/context.ts";
import { createMetrics, type Metrics } from "../http/metrics.ts";
import { createJobQueue, type JobQueue } from "../jobs/queue.ts";
import { type Clock, systemClock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { countArchive } from "../platforms/archive/count.ts";
import type { Config } from "./config.ts";
import type { Control } from "./control.ts";
import { createLog } from "./log.ts";
import { createReadiness } from "./readiness.ts";
import { createIngestRole, fedPlatforms, type IngestRole } from "./roles.ts";
import { closeStores, type Stores } from "./stores.ts";

/** Everything that the parts of the service share, wired here and nowhere else. */
export type AppContext = {
  config: Config;
  clock: Clock;
  random: () => number;
  log: Logger;
  store: Control["store"];
  archive: Archive;
  queue: JobQueue;
  metrics: Metrics;
  ingest: IngestRole;
  http: HttpContext;
  close(): Promise<void>;
};

/** What tests put in the place of the real thing. */
export type ContextOverrides = { clock?: Clock; log?: Logger };

/** Wires everything over stores that are open. */
export function createContext(
  config: Config,
  { control, archive }: Stores,
  overrides: ContextOverrides,
): AppContext {
  const clock = overrides.clock ?? systemClock;
  const log = overrides.log ?? createLog(config.log.level);
  const { store } = control;
  const limiter = createLimiter(clock, config.limits);
  const ingest = createIngestRole(config);
  const metrics = createMetrics({
    queueDepth: () => queue.depth(),
    ingest: ingest.state,
    upkeep: { ask: archive.upkeep, clock },
  });
  const queue = createJobQueue({
    store,
    clock,
    randomUuid: randomUUID,
    settings: config.jobs,
    onFailedAttempt: (method) => metrics.failedAttempts.inc({ method }),
    onEnd: (method, state) => {
      if (state === "done") metrics.jobsDone.inc({ method });
      else metrics.jobsFailed.inc({ method });
    },
    onFault: (fault) => log.warn({ error: messageOf(fault) }, "the watch over the jobs failed"),
  });
  const http: HttpContext = {
    settings: {
      ...config.http,
      ...config.search,
      deadlineGraceMs: config.jobs.deadlineGraceMs,
    },
    clock,
    log,
    metrics,
    limiter,
    authenticate: (token) => authenticate(store, token),
    cursorKey: control.secrets.cursorKey,
    jobs: queue,
    archive,
    countPosts: (request, deadlineMs) =>
      countArchive(
        {
          archive,
          clock,
          fedPlatforms: fedPlatforms(config),
          coverageSlackMs: config.ingest.coverageSlackMs,
        },
        request,
        deadlineMs,
      ),
    ingest: ingest.state,
    readerAnswers: createReadiness(archive, clock),
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
    metrics,
    ingest,
    http,
    close: async () => {
      metrics.close();
      await closeStores({ control, archive });
    },
  };
}
