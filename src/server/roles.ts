import type { Ingest, IngestState } from "../ingest/jetstream.ts";
import type { JobResult, SearchJobRequest } from "../jobs/job.ts";
import { type Runner, startRunner } from "../jobs/runner.ts";
import type { LeaseGateway } from "../nodes/lease.ts";
import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";
import type { AppContext } from "./context.ts";

type Gateway = LeaseGateway<SearchJobRequest, JobResult>;

type MethodCounter = { inc(labels: { method: string }): void };

/** What this process feeds into the archive by itself. */
export function fedPlatforms({ ingest }: Config): readonly Platform[] {
  return ingest.source === "bluesky" ? ["bluesky"] : [];
}

/** The node in this process: it leases jobs from the queue through the interface that a remote node will use. */
export function startNode(context: AppContext): Runner {
  const { config, archive, clock, log } = context;
  return startRunner({
    gateway: countedGateway(context),
    source: {
      archive,
      clock,
      fedPlatforms: fedPlatforms(config),
      coverageSlackMs: config.ingest.coverageSlackMs,
    },
    clock,
    nodeId: "embedded",
    concurrency: config.jobs.concurrency,
    log,
  });
}

/** The queue as the node sees it, with its ends counted. */
function countedGateway({ queue, metrics }: AppContext): Gateway {
  const methodOf = new Map<string, string>();
  const handIn = async (uuid: string, counter: MethodCounter, call: () => Promise<void>) => {
    const method = methodOf.get(uuid) ?? "unknown";
    methodOf.delete(uuid);
    await call();
    counter.inc({ method });
  };
  return {
    lease: async (capabilities, waitMs, signal) => {
      const lease = await queue.lease(capabilities, waitMs, signal);
      if (lease !== null) methodOf.set(lease.uuid, lease.work.method);
      return lease;
    },
    renew: queue.renew,
    complete: (uuid, token, result) =>
      handIn(uuid, metrics.jobsDone, () => queue.complete(uuid, token, result)),
    fail: (uuid, token, failure) =>
      handIn(uuid, metrics.failedAttempts, () => queue.fail(uuid, token, failure)),
  };
}

/** Live ingestion. It is loaded after the service listens, since nothing that is served waits for it. */
export type IngestRole = {
  /** Null when it is off. */
  state(): IngestState | null;
  start(context: Pick<AppContext, "archive" | "clock" | "random" | "log">): void;
  stop(): Promise<void>;
};

export function createIngestRole({ ingest: settings }: Config): IngestRole {
  let running: Promise<Ingest> | null = null;
  let ingest: Ingest | null = null;
  if (settings.source === "off") {
    return { state: () => null, start: () => undefined, stop: async () => undefined };
  }

  function start({ archive, clock, random, log }: Parameters<IngestRole["start"]>[0]): void {
    running ??= import("../ingest/jetstream.ts").then((jetstream) => {
      ingest = jetstream.startJetstream({
        archive,
        clock,
        random,
        settings: { ...jetstream.defaultJetstreamSettings, ...settings },
        log,
      });
      return ingest;
    });
    running.catch((fault: unknown) => log.error({ err: fault }, "live ingestion cannot start"));
  }

  return {
    state: () => ingest?.state() ?? beforeStart,
    start,
    stop: async () => {
      const started = await running?.catch(() => null);
      await started?.stop();
    },
  };
}

const beforeStart: IngestState = {
  status: "waiting",
  detail: "waiting for its start",
  host: null,
  lagMs: null,
  lastEventMs: null,
  events: 0,
  posts: 0,
  deletes: 0,
  badFrames: 0,
  reconnects: 0,
};
