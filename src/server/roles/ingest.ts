import {
  type IngestState,
  type MastodonStreamState,
  streamNotStarted,
} from "../../ingest/ingest-state.ts";
import type { Ingest } from "../../ingest/live-ingest.ts";
import type { MastodonStreamRequest } from "../../ingest/mastodon/stream.ts";
import type { Platform } from "../../posts/post.ts";
import type { Freshness, FreshnessOf } from "../../search/archive/unchecked-posts.ts";
import type { Config } from "../config.ts";
import type { AppContext } from "../context.ts";
import { packageVersion } from "../version.ts";

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
  let ingestPromise: Promise<Ingest> | null = null;
  let ingest: Ingest | null = null;
  if (settings.source === "off") {
    return { state: () => null, start: () => undefined, stop: async () => undefined };
  }

  function start({ archive, clock, random, log }: Parameters<BlueskyRole["start"]>[0]): void {
    ingestPromise ??= import("../../ingest/live-ingest.ts").then(({ startIngest }) => {
      ingest = startIngest({ archive, clock, random, settings, dataDir: data.dir, log });
      return ingest;
    });
    ingestPromise.catch((error: unknown) =>
      log.error({ err: error }, "live ingestion failed to start"),
    );
  }

  return {
    state: () => ingest?.state() ?? initialState,
    start,
    stop: async () => {
      const startedIngest = await ingestPromise?.catch(() => null);
      await startedIngest?.stop();
    },
  };
}

const initialState: IngestState = { ...streamNotStarted, labelers: [], lookUp: null };

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
  let streamPromise: Promise<{ stop(): Promise<void> }> | null = null;
  let confirms = (_id: bigint): boolean => false;
  let state = (): MastodonStreamState => initialMastodonState(host);

  function start(context: MastodonContext): void {
    streamPromise ??= import("../../ingest/mastodon/stream.ts").then(({ startMastodonStream }) => {
      const stream = startMastodonStream({ ...context, settings });
      state = stream.state;
      confirms = stream.confirms;
      return stream;
    });
    streamPromise.catch((error: unknown) =>
      context.log.error({ err: error }, "the Mastodon stream failed to start"),
    );
  }

  return {
    state: () => state(),
    freshness: (id) => (confirms(id) ? "confirmed" : "unchecked"),
    start,
    stop: async () => {
      const stream = await streamPromise?.catch(() => null);
      await stream?.stop();
    },
  };
}

const initialMastodonState = (host: string): MastodonStreamState => ({
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
