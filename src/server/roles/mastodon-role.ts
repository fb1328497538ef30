import type { MastodonStreamState } from "../../ingest/ingest-state.ts";
import type { MastodonStreamRequest } from "../../ingest/mastodon/stream.ts";
import type { Freshness } from "../../search/archive/unchecked.ts";
import type { Config } from "../config.ts";
import { packageVersion } from "../version.ts";

export type MastodonRole = {
  state(): MastodonStreamState | null;
  /** Whether the stream has covered the post up to now. */
  freshness(id: bigint): Freshness;
  start(context: MastodonContext): void;
  stop(): Promise<void>;
};

type MastodonContext = Pick<MastodonStreamRequest, "archive" | "clock" | "random" | "findToken"> & {
  log: MastodonStreamRequest["log"] & { error(fields: object, message: string): void };
};

export function createMastodonRole({ ingest, mastodonStream, upstreams }: Config): MastodonRole {
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
