import type { Archive } from "../../archive/archive.ts";
import { mastodonStreamSource } from "../../archive/catalog/coverage.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { MastodonStreamState } from "../ingest-state.ts";
import type { Frame } from "../streams/frames.ts";
import { createStreamLink } from "../streams/link.ts";
import { createStreamTally } from "../streams/tally.ts";
import { startStreamWriter } from "../streams/writer.ts";
import { type LastEvent, readLastEvent } from "./catch-up.ts";
import { createMastodonClients } from "./clients.ts";
import { createMastodonConnections } from "./connection.ts";
import {
  type MastodonEvent,
  readCheckedStatus,
  readMastodonEvent,
  readMissedStatus,
} from "./events.ts";
import { createMastodonGapRecovery } from "./gap-recovery.ts";
import { createRecentDeletions } from "./recent-deletions.ts";
import { createMastodonRecheck } from "./recheck.ts";
import { createMastodonRequests } from "./requests.ts";
import type { MastodonStreamSettings } from "./settings.ts";
import { nothingStoredText, skipsEverything } from "./skipped-posts.ts";

/**
 * Live ingestion from the public stream of one Mastodon server. Guarantees:
 *
 * - Stores every reported public post by an account that agreed to be indexed, with later edits and
 *   its deletion, and nothing by other accounts. Hides an account that withdraws its consent.
 * - The server replays nothing, so coverage has a gap after a disconnection. Missed posts are then
 *   read from the timeline, and stored statuses, which are unconfirmed until then, are compared
 *   with the server.
 * - One server sees only part of the network, so its coverage never makes a search complete.
 * - The token is sent in a header to the advertised streaming address, over TLS if the server
 *   itself uses TLS. Rejections are reported without the server's text, which could contain the
 *   token.
 * - Reading pauses while events wait for the archive; if it cannot write, the stream waits.
 */
export type MastodonStream = {
  state(): MastodonStreamState;
  confirms(id: bigint): boolean;
  stop(): Promise<void>;
};

export type MastodonStreamRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint" | "aliases">;
  clock: Clock;
  random: () => number;
  settings: MastodonStreamSettings;
  findToken: (origin: string) => Promise<string | null>;
  log: IngestLog;
};

type MastodonPosition = { timeMs: number; since: LastEvent | null };

export function startMastodonStream(request: MastodonStreamRequest): MastodonStream {
  const { archive, clock, random, settings, log } = request;
  const { host } = new URL(settings.server);
  const { guard, fetch, client } = createMastodonClients(settings);
  const tally = createStreamTally();
  const counts = { skipped: 0, reconnects: 0, gaps: 0, caughtUp: 0 };
  let lastEventMs: number | null = null;
  let isInterrupted = false;
  let hasWarned = false;
  const deletions = createRecentDeletions();
  const checkpoint = `mastodon-stream ${host}`;

  const link = createStreamLink({
    archive,
    clock,
    random,
    guard,
    settings,
    pendingEvents: () => writer.pendingEvents(),
    failure: () => writer.failure(),
    onOpen: (name) => {
      connections.recordOpen();
      log.info({ host: name, transport: connections.transport() }, "mastodon stream: connected");
      gapRecovery.start();
    },
  });

  const connections = createMastodonConnections({
    link,
    clock,
    settings,
    findToken: request.findToken,
    fetch,
    client,
  });

  const writer = startStreamWriter<MastodonPosition>({
    ...settings,
    archive,
    clock,
    random,
    checkpoint,
    coverage: {
      platform: "mastodon",
      source: mastodonStreamSource(host),
      collections: ["posts"],
    },
    savedState: null,
    isLater: (position, than) => position.timeMs > than.timeMs,
    onWritten: link.resumeIfDrained,
    onFailure: (reason) => log.warn({ reason }, "mastodon stream: the archive rejected a batch"),
  });

  const requests = createMastodonRequests({ ...request, server: settings.server, fetch });
  const recheck = createMastodonRecheck({
    ...request,
    host,
    requests,
    readChanges: (status) => readCheckedStatus(status, { host, nowMs: clock.now() }),
  });
  const gapRecovery = createMastodonGapRecovery({
    ...request,
    host,
    requests,
    recheck,
    onMissedStatuses,
  });

  async function run(): Promise<void> {
    const savedEvent = await link.readPosition(checkpoint, readLastEvent);
    if (savedEvent !== null) gapRecovery.recordEvent(savedEvent);
    for (let failures = 0; !link.signal.aborted; ) {
      const previousEvents = tally.counts.events;
      recordInterruption();
      const reason = await connections.connect(takeFrame).catch(errorMessage);
      await gapRecovery.stop();
      if (link.signal.aborted) return;
      counts.reconnects += 1;
      log.info({ host, reason }, "mastodon stream: not connected");
      const hasWorked = tally.counts.events > previousEvents || connections.hasLasted();
      failures = hasWorked ? 0 : failures + 1;
      await link.wait(host, reason, Math.max(0, failures - 1));
    }
  }

  function recordInterruption(): void {
    writer.recordInterruption();
    isInterrupted = true;
  }

  function takeFrame(frame: Frame): void {
    const nowMs = clock.now();
    const event = readMastodonEvent(frame, { host, nowMs });
    if (event === null) {
      // The content of the frame is unknown: the next event follows a gap.
      recordInterruption();
      tally.counts.badFrames += 1;
      return;
    }
    if (event.kind === "refusal") {
      connections.endRefused(event.status);
      return;
    }
    if (isInterrupted && lastEventMs !== null) counts.gaps += 1;
    isInterrupted = false;
    lastEventMs = nowMs;
    connections.recordMessage();
    gapRecovery.recordEvent({ statusId: event.statusId, timeMs: nowMs });
    deletions.record(event);
    handleEvent(event, nowMs);
  }

  function handleEvent(event: MastodonEvent & { kind: "event" }, nowMs: number): void {
    if (event.isSkipped) counts.skipped += 1;
    const item = { timeUs: nowMs * 1000, changes: event.changes, countIncrements: [] };
    writer.add(item, { timeMs: nowMs, since: gapRecovery.resumePoint() });
    tally.add(item);
    warnOnce();
    link.pauseIfFull();
  }

  function onMissedStatuses(statuses: readonly unknown[]): void {
    const nowMs = clock.now();
    for (const status of statuses) {
      const event = readMissedStatus(status, { host, nowMs });
      if (event?.kind !== "event" || deletions.has(event)) continue;
      counts.caughtUp += 1;
      handleEvent(event, nowMs);
    }
  }

  function warnOnce(): void {
    if (hasWarned || !skipsEverything({ ...tally.counts, ...counts })) return;
    hasWarned = true;
    log.warn({ host, skipped: counts.skipped }, `mastodon stream: ${nothingStoredText}`);
  }

  function detail({ status, detail }: ReturnType<typeof link.status>): string {
    if (status !== "connected") return detail;
    if (skipsEverything({ ...tally.counts, ...counts })) return `${detail}; ${nothingStoredText}`;
    const failure = gapRecovery.failure();
    if (failure !== null) return `${detail}; stored posts cannot be compared: ${failure}`;
    return recheck.state().isPending
      ? `${detail}; comparing stored posts with the server after a gap`
      : detail;
  }

  const finished = run();
  return {
    state: () => {
      const status = link.status();
      const { events, posts, deletes, badFrames } = tally.counts;
      return {
        ...status,
        detail: detail(status),
        host,
        transport: connections.transport(),
        lastEventMs,
        events,
        posts,
        deletes,
        badFrames,
        ...counts,
        waitingEvents: writer.pendingEvents(),
        recheck: recheck.state(),
      };
    },
    confirms: recheck.confirms,
    stop: async () => {
      link.stop();
      await finished;
      await writer.stop();
      await Promise.all([fetch.close(), client.close()]);
    },
  };
}
