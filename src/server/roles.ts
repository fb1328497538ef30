import { type IngestState, streamNotStarted } from "../ingest/ingest-state.ts";
import type { Ingest } from "../ingest/live-ingest.ts";
import { type Runner, startRunner } from "../jobs/runner.ts";
import type { Platform } from "../posts/post.ts";
import type { Config } from "./config.ts";
import type { AppContext } from "./context.ts";
import { meteredGateway } from "./metered-gateway.ts";

/** What this process feeds into the archive by itself. */
export function fedPlatforms({ ingest }: Config): readonly Platform[] {
  return ingest.source === "bluesky" ? ["bluesky"] : [];
}

/** The node in this process: it leases jobs from the queue through the interface that a remote node will use. */
export function startNode(context: AppContext): Runner {
  const { config, queue, archive, clock, log, metrics } = context;
  return startRunner({
    gateway: meteredGateway(queue, { metrics, clock, deadlineMs: config.jobs.deadlineMs }),
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

/** Live ingestion. It is loaded after the service listens, since nothing that is served waits for it. */
export type IngestRole = {
  /** Null when it is off. */
  state(): IngestState | null;
  start(context: Pick<AppContext, "archive" | "clock" | "random" | "log">): void;
  stop(): Promise<void>;
};

export function createIngestRole({ ingest: settings, data }: Config): IngestRole {
  let running: Promise<Ingest> | null = null;
  let ingest: Ingest | null = null;
  if (settings.source === "off") {
    return { state: () => null, start: () => undefined, stop: async () => undefined };
  }

  function start({ archive, clock, random, log }: Parameters<IngestRole["start"]>[0]): void {
    running ??= import("../ingest/live-ingest.ts").then(({ startIngest }) => {
      ingest = startIngest({ archive, clock, random, settings, dataDir: data.dir, log });
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

const beforeStart: IngestState = { ...streamNotStarted, labelers: [], lookUp: null };
