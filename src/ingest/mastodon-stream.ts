import type { Archive } from "../archive/archive.ts";
import { mastodonStreamSource } from "../archive/coverage.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { createGuard } from "../lib/guard.ts";
import { createGuardedFetch } from "../lib/guarded-fetch.ts";
import type { IngestLog } from "./ingest-log.ts";
import type { MastodonStreamState } from "./ingest-state.ts";
import { createMastodonConnections } from "./mastodon-connection.ts";
import { readMastodonEvent } from "./mastodon-events.ts";
import type { MastodonStreamSettings } from "./mastodon-settings.ts";
import type { Frame } from "./stream-frames.ts";
import { createStreamLink } from "./stream-link.ts";
import { createStreamTally } from "./stream-tally.ts";
import { startStreamWriter } from "./stream-writer.ts";

/**
 * Live ingestion from the public stream of one Mastodon server. What it promises:
 *
 * - Every public post that the server tells of, of an account that has agreed to be searched, is taken, with its later edits
 *   and its deletion; nothing of any other account is kept. An account that takes its agreement back is hidden.
 * - The server repeats nothing: what it tells while there is no connection is missed, and the ledger has a gap there.
 * - The ledger tells when the server was followed, from one event to a later one. That is what one server sees, so no search
 *   counts as complete by it.
 * - The token is sent in a header to the address that the server tells for its stream, by TLS where the server itself is
 *   reached so; nothing that a server says about a refusal is repeated, as it could hold the token.
 * - When events wait for the archive it stops reading; when the archive cannot write it waits.
 */
export type MastodonStream = {
  state(): MastodonStreamState;
  /** Ends the connection, writes what has arrived, and resolves. */
  stop(): Promise<void>;
};

export type MastodonStreamRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint">;
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  settings: MastodonStreamSettings;
  /** The user token for a server, named by its origin; null where there is none. Asked for before each connection. */
  tokenOf: (origin: string) => Promise<string | null>;
  log: IngestLog;
};

/** Where the stream was, for people: there is nothing to go on from. */
type MastodonPlace = { timeMs: number };

const mostRedirects = 3;

export function startMastodonStream(request: MastodonStreamRequest): MastodonStream {
  const { archive, clock, random, settings, log } = request;
  const { host } = new URL(settings.server);
  const guard = createGuard([settings.server, ...settings.privateHosts], {
    setting: "EARSHOT_UPSTREAM_PRIVATE_HOSTS",
  });
  const fetch = createGuardedFetch({
    ...settings,
    guard,
    timeoutMs: settings.fetchTimeoutMs,
    maxBytes: settings.maxAnswerBytes,
    maxRedirects: mostRedirects,
  });
  const client = createGuardedFetch({
    ...settings,
    guard,
    timeoutMs: settings.idleTimeoutMs,
    maxBytes: settings.maxFrameBytes,
    maxRedirects: 0,
  });
  const tally = createStreamTally();
  const counts = { leftOut: 0, reconnects: 0, gaps: 0 };
  let lastEventMs: number | null = null;
  let isInterrupted = false;

  const link = createStreamLink({
    archive,
    clock,
    random,
    guard,
    settings,
    waiting: () => writer.waiting(),
    failure: () => writer.failure(),
    onOpen: (name) => {
      connections.opened();
      log.info({ host: name, transport: connections.transport() }, "mastodon stream: connected");
    },
  });

  const connections = createMastodonConnections({
    link,
    clock,
    settings,
    tokenOf: request.tokenOf,
    fetch,
    client,
  });

  const writer = startStreamWriter<MastodonPlace>({
    ...settings,
    archive,
    clock,
    random,
    checkpoint: `mastodon-stream ${host}`,
    coverage: {
      platform: "mastodon",
      source: mastodonStreamSource(host),
      collections: ["posts"],
    },
    saved: null,
    isLater: (place, than) => place.timeMs > than.timeMs,
    onWritten: link.written,
    onFailure: (reason) =>
      log.warn({ reason }, "mastodon stream: the archive does not take a batch"),
  });

  async function run(): Promise<void> {
    for (let failures = 0; !link.signal.aborted; ) {
      const before = tally.counts.events;
      interrupted();
      const reason = await connections.connect(takeFrame).catch(messageOf);
      if (link.signal.aborted) return;
      counts.reconnects += 1;
      log.info({ host, reason }, "mastodon stream: not connected");
      // A quiet server is none that fails: a connection that lasted is not followed by a long pause.
      const hasWorked = tally.counts.events > before || connections.hasLasted();
      failures = hasWorked ? 0 : failures + 1;
      await link.wait(host, reason, Math.max(0, failures - 1));
    }
  }

  function interrupted(): void {
    writer.interrupted();
    isInterrupted = true;
  }

  function takeFrame(frame: Frame): void {
    const nowMs = clock.now();
    const event = readMastodonEvent(frame, { host, nowMs });
    if (event === null) {
      // What it held is not known: the next event follows a gap.
      interrupted();
      tally.counts.badFrames += 1;
      return;
    }
    if (event.kind === "refusal") {
      connections.refused(event.status);
      return;
    }
    if (isInterrupted && lastEventMs !== null) counts.gaps += 1;
    isInterrupted = false;
    lastEventMs = nowMs;
    connections.heard();
    if (event.isLeftOut) counts.leftOut += 1;
    const item = { timeUs: nowMs * 1000, changes: event.changes, counted: [] };
    writer.add(item, { timeMs: nowMs });
    tally.add(item);
    link.added();
  }

  const ended = run();
  return {
    state: () => {
      const { events, posts, deletes, badFrames } = tally.counts;
      return {
        ...link.status(),
        host,
        transport: connections.transport(),
        lastEventMs,
        events,
        posts,
        deletes,
        badFrames,
        ...counts,
        waitingEvents: writer.waiting(),
      };
    },
    stop: async () => {
      link.stop();
      await ended;
      await writer.stop();
      await Promise.all([fetch.close(), client.close()]);
    },
  };
}
