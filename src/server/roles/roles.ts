import type { Metrics } from "../../http/metrics/metrics.ts";
import {
  type IngestState,
  type MastodonStreamState,
  streamNotStarted,
} from "../../ingest/ingest-state.ts";
import type { Ingest } from "../../ingest/live-ingest.ts";
import type { MastodonStreamRequest } from "../../ingest/mastodon/stream.ts";
import { embeddedNodeId, type LeaseGateway } from "../../jobs/leases/lease.ts";
import type { Runner } from "../../jobs/runner.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";
import type { Freshness, FreshnessOf } from "../../search/archive/unchecked.ts";
import { withRecords } from "../../search/merge/fill-in.ts";
import type { Config } from "../config.ts";
import type { AppContext } from "../context.ts";
import { startRunners } from "../start-runners.ts";
import { packageVersion } from "../version.ts";

/** Pause before the retry of a job that failed because of a disk error. */
const diskPauseMs = 1_000;

/** The embedded node (EARSHOT_EMBEDDED_NODE). */
export function startNode(context: AppContext): Runner {
  const { config, queue, upstreams, router, clock, log, metrics, sharing } = context;
  const { deadlineMs, concurrency, fetchConcurrency } = config.jobs;
  if (config.nodes.embedded === "off") return { stop: async () => undefined };
  return startRunners(config.jobs, {
    gateway: meteredGateway(queue, { metrics, clock, deadlineMs }),
    answer: sharing.gateway.isShared ? answerWithRecords(context) : upstreams.answer,
    clock,
    nodeId: embeddedNodeId,
    accepts: router.runsHere,
    load: () => queue.countRunning(embeddedNodeId) / (concurrency + fetchConcurrency),
    returnJob: (uuid, token) => queue.returnJob(uuid, token, diskPauseMs),
    log,
  });
}

/** Other gateways, with other archives, may have to return the answer. */
function answerWithRecords({ archive, upstreams }: AppContext): AppContext["upstreams"]["answer"] {
  return async (...args) => await withRecords(archive, await upstreams.answer(...args));
}

/** The modules are loaded after the service starts to listen. */
export type IngestRole = {
  state(): IngestState | null;
  mastodonState(): MastodonStreamState | null;
  /** Always `confirmed` except on Mastodon: coverage records interruptions of Bluesky's stream. */
  freshness: FreshnessOf;
  start(context: IngestContext): void;
  stop(): Promise<void>;
};

type IngestContext = Pick<AppContext, "archive" | "clock" | "random" | "log" | "upstreams">;

export function createIngestRole(config: Config): IngestRole {
  const bluesky = createBlueskyRole(config);
  const mastodon = createMastodonRole(config);
  return {
    state: bluesky.state,
    mastodonState: mastodon.state,
    freshness: ({ platform, id }) =>
      platform === "mastodon" ? mastodon.freshness(id) : "confirmed",
    start: (context) => {
      const { archive, clock, random, log, upstreams } = context;
      bluesky.start(context);
      mastodon.start({ archive, clock, random, log, findToken: upstreams.mastodonToken });
    },
    stop: async () => {
      await Promise.all([bluesky.stop(), mastodon.stop()]);
    },
  };
}

type BlueskyRole = Pick<IngestRole, "state" | "stop"> & {
  start(context: Omit<IngestContext, "upstreams">): void;
};

function createBlueskyRole({ ingest: settings, data }: Config): BlueskyRole {
  let running: Promise<Ingest> | null = null;
  let ingest: Ingest | null = null;
  if (settings.source === "off") {
    return { state: () => null, start: () => undefined, stop: async () => undefined };
  }

  function start({ archive, clock, random, log }: Parameters<BlueskyRole["start"]>[0]): void {
    running ??= import("../../ingest/live-ingest.ts").then(({ startIngest }) => {
      ingest = startIngest({ archive, clock, random, settings, dataDir: data.dir, log });
      return ingest;
    });
    running.catch((error: unknown) => log.error({ err: error }, "live ingestion failed to start"));
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

type Work = { method: string };

export type GatewayMeter = {
  metrics: Pick<Metrics, "jobsRunning" | "queueSeconds" | "runSeconds">;
  clock: Pick<Clock, "elapsed">;
  /** Counted from the submission. */
  deadlineMs: number;
};

export function meteredGateway<Job extends Work, Result>(
  gateway: LeaseGateway<Job, Result>,
  { metrics, clock, deadlineMs }: GatewayMeter,
): LeaseGateway<Job, Result> {
  const running = new Map<string, { method: string; sinceMs: number }>();

  const lease: typeof gateway.lease = async (...args) => {
    const leased = await gateway.lease(...args);
    if (leased === null) return null;
    const { method } = leased.work;
    running.set(leased.token, { method, sinceMs: clock.elapsed() });
    metrics.jobsRunning.set(running.size);
    leased.lost.addEventListener("abort", () => recordEnd(leased.token), { once: true });
    // A signal that is already aborted fires no event.
    if (leased.lost.aborted) recordEnd(leased.token);
    if (leased.attempt === 1) {
      // Server downtime extends the deadline and does not count as waiting.
      const waitedMs = Math.max(0, deadlineMs - leased.remainingMs);
      metrics.queueSeconds.observe({ method }, waitedMs / 1000);
    }
    return leased;
  };

  function recordEnd(token: string): void {
    const job = running.get(token);
    if (job === undefined) return;
    running.delete(token);
    metrics.jobsRunning.set(running.size);
    const { method, sinceMs } = job;
    metrics.runSeconds.observe({ method }, (clock.elapsed() - sinceMs) / 1000);
  }

  return {
    ...gateway,
    lease,
    complete: async (uuid, token, result) => {
      recordEnd(token);
      await gateway.complete(uuid, token, result);
    },
    fail: async (uuid, token, failure) => {
      recordEnd(token);
      await gateway.fail(uuid, token, failure);
    },
  };
}

export const createLiveSince =
  (ingest: Pick<IngestRole, "state" | "mastodonState">) =>
  (platform: Platform): number | null => {
    if (platform === "bluesky") return ingest.state()?.liveSinceMs ?? null;
    // Mastodon servers do not replay events.
    const isOpen = platform === "mastodon" && ingest.mastodonState()?.status === "connected";
    return isOpen ? 0 : null;
  };

type MastodonRole = {
  state(): MastodonStreamState | null;
  /** `confirmed` if the stream has covered the post up to now. */
  freshness(id: bigint): Freshness;
  start(context: MastodonContext): void;
  stop(): Promise<void>;
};

type MastodonContext = Pick<MastodonStreamRequest, "archive" | "clock" | "random" | "findToken"> & {
  log: MastodonStreamRequest["log"] & { error(fields: object, message: string): void };
};

function createMastodonRole({ ingest, mastodonStream, upstreams }: Config): MastodonRole {
  const { server } = mastodonStream;
  if (server === null) {
    return {
      state: () => null,
      freshness: () => "unfollowed",
      start: () => undefined,
      stop: async () => undefined,
    };
  }
  const settings = {
    ...ingest,
    ...mastodonStream,
    server,
    privateHosts: upstreams.privateHosts,
    userAgent: `earshot/${packageVersion()}`,
  };
  const { host } = new URL(server);
  let running: Promise<{ stop(): Promise<void> }> | null = null;
  let confirms = (_id: bigint): boolean => false;
  let state = (): MastodonStreamState => notStarted(host);

  function start(context: MastodonContext): void {
    running ??= import("../../ingest/mastodon/stream.ts").then(({ startMastodonStream }) => {
      const stream = startMastodonStream({ ...context, settings });
      state = stream.state;
      confirms = stream.confirms;
      return stream;
    });
    running.catch((error: unknown) =>
      context.log.error({ err: error }, "the Mastodon stream failed to start"),
    );
  }

  return {
    state: () => state(),
    freshness: (id) => (confirms(id) ? "confirmed" : "unchecked"),
    start,
    stop: async () => {
      const stream = await running?.catch(() => null);
      await stream?.stop();
    },
  };
}

const notStarted = (host: string): MastodonStreamState => ({
  status: "waiting",
  detail: "starting",
  host,
  transport: null,
  lastEventMs: null,
  events: 0,
  posts: 0,
  deletes: 0,
  skipped: 0,
  badFrames: 0,
  reconnects: 0,
  gaps: 0,
  waitingEvents: 0,
  caughtUp: 0,
  recheck: { isPending: true, checked: 0, removed: 0 },
});
