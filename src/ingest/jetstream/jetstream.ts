import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import { createGuard } from "../../lib/guard.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { StreamState } from "../ingest-state.ts";
import type { ConnectionEnd } from "../streams/connection.ts";
import { createFrameReader, type FrameText } from "../streams/frames.ts";
import { createStreamLink } from "../streams/link.ts";
import { createStreamTally } from "../streams/tally.ts";
import { type StreamWriter, startStreamWriter } from "../streams/writer.ts";
import { createJetstreamCursor } from "./cursor.ts";
import { createJetstreamEventReader, type JetstreamEventReader } from "./events.ts";
import { isLaterPosition, type JetstreamPosition, readJetstreamPosition } from "./position.ts";
import { type JetstreamSettings, publicJetstreamUrls } from "./settings.ts";

/**
 * Live ingestion from Bluesky's Jetstream. Guarantees:
 *
 * - Every event that a server still has is ingested once, in order: after an interruption, the
 *   stream resumes at the time of the last written event, less an overlap, and skips repeats.
 * - Counts are never lower than what was received. After a restart, some events may be counted
 *   twice (`isCountedBefore`).
 * - The position is a time, because a server's sequence numbers mean nothing to other servers, or
 *   to itself after a crash. Server clocks differ, so the stream stays with a working server, and
 *   requests a longer overlap from another.
 * - Coverage is claimed between the events of an uninterrupted stream. If a server no longer has
 *   the resume position, coverage has a gap.
 * - A server that does not omit oversized events would repeat one forever, so the position moves
 *   past it in growing steps, and coverage has a gap.
 * - Reading pauses while events wait for the archive; if it cannot write, the stream waits and
 *   skips nothing.
 */
export type Jetstream = {
  state(): StreamState;
  stop(): Promise<void>;
};

export type JetstreamRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint">;
  clock: Clock;
  random: () => number;
  settings: JetstreamSettings;
  dictionary: (signal: AbortSignal) => Promise<Buffer>;
  refreshAccount: (account: string) => void;
  log: IngestLog;
};

const checkpointName = "jetstream";
const triesPerServer = 2;

export function startJetstream(request: JetstreamRequest): Jetstream {
  const { archive, clock, random, settings, log } = request;
  const cursor = createJetstreamCursor(settings, clock);
  const tally = createStreamTally();
  let reconnects = 0;
  let lastEventUs: number | null = null;
  let host: string | null = null;
  let writer: StreamWriter<JetstreamPosition> | null = null;
  let dictionary: Buffer | null = null;
  let dictionaryError: string | null = null;

  const link = createStreamLink({
    archive,
    clock,
    random,
    guard: createGuard(settings.urls.filter((url) => !publicJetstreamUrls.includes(url))),
    settings,
    pendingEvents: () => writer?.pendingEvents() ?? 0,
    failure: () => writer?.failure() ?? null,
    onOpen: (name) => log.info({ host: name }, "ingest: connected"),
  });

  async function run(): Promise<void> {
    const savedPosition = await link.readPosition(checkpointName, readJetstreamPosition);
    if (link.signal.aborted) return;
    const stream = startWriter(savedPosition);
    writer = stream;
    const followedCollections = new Set(settings.followed);
    const readEvent = createJetstreamEventReader({
      ...settings,
      clock,
      random,
      followed: followedCollections,
      savedPosition,
    });
    let failures = 0;
    let misses = 0;
    let durableUs = savedPosition?.timeUs ?? 0;
    let urlIndex = settings.urls.findIndex((url) => URL.parse(url)?.host === savedPosition?.host);
    urlIndex = Math.max(urlIndex, 0);
    while (!link.signal.aborted) {
      await loadDictionaryOnce();
      if (link.signal.aborted) return;
      const url = cursor.makeUrl(urlIndex, stream.position(), dictionary !== null);
      const previous = { events: tally.counts.events, lastEventUs };
      const { reason, frameTooLarge } = await listen(url, stream, readEvent);
      if (link.signal.aborted) return;
      reconnects += 1;
      log.info({ host: url.host, reason }, "ingest: connection ended");
      if (lastEventUs !== previous.lastEventUs) cursor.recordProgress();
      else if (frameTooLarge) skipLargeEvent(url.host, stream);
      misses = tally.counts.events > previous.events || frameTooLarge ? 0 : misses + 1;
      if (misses === triesPerServer) {
        misses = 0;
        urlIndex += 1;
      }
      // Events repeated in an overlap do not count as progress.
      const positionUs = stream.position()?.timeUs ?? 0;
      failures = positionUs > durableUs ? 0 : failures + 1;
      durableUs = positionUs;
      await link.wait(url.hostname, reason, failures);
    }
  }

  const startWriter = (savedPosition: JetstreamPosition | null): StreamWriter<JetstreamPosition> =>
    startStreamWriter<JetstreamPosition>({
      ...settings,
      archive,
      clock,
      random,
      checkpoint: checkpointName,
      coverage: {
        platform: "bluesky",
        source: "jetstream",
        collections: settings.followed.filter((word) => word !== "profiles"),
      },
      savedState:
        savedPosition === null ? null : { position: savedPosition, timeUs: savedPosition.timeUs },
      isLater: isLaterPosition,
      onWritten: link.resumeIfDrained,
      onFailure: (reason) => log.warn({ reason }, "ingest: the archive rejected a batch"),
    });

  /** Without a dictionary, connections are uncompressed. */
  async function loadDictionaryOnce(): Promise<void> {
    if (settings.compress === "off" || dictionary !== null) return;
    try {
      dictionary = await request.dictionary(link.signal);
      dictionaryError = null;
    } catch (error) {
      dictionaryError = errorMessage(error);
      log.warn({ reason: dictionaryError }, "ingest: the stream is uncompressed");
    }
  }

  function skipLargeEvent(server: string, stream: StreamWriter<JetstreamPosition>): void {
    if (cursor.isFirstStep()) tally.counts.badFrames += 1;
    const step = cursor.skipLargeEvent(server, lastEventUs ?? stream.position()?.timeUs ?? null);
    if (step === null) return;
    log.warn(
      { host: server, fromMs: step.fromUs / 1000, toMs: step.toUs / 1000 },
      "ingest: skipped an oversized event; the coverage has a gap",
    );
  }

  function listen(
    url: URL,
    stream: StreamWriter<JetstreamPosition>,
    readEvent: JetstreamEventReader,
  ): Promise<ConnectionEnd> {
    host = url.hostname;
    stream.recordInterruption();
    const readFrame = createFrameReader({ dictionary, maxBytes: settings.maxFrameBytes });
    return link.listen(url, url.hostname, (frame) =>
      takeFrame(readFrame(frame), url.host, stream, readEvent),
    );
  }

  function takeFrame(
    frame: FrameText,
    server: string,
    stream: StreamWriter<JetstreamPosition>,
    readEvent: JetstreamEventReader,
  ): void {
    const event = readEvent(frame, server);
    if (event === null) {
      // The content of the frame is unknown: the next event follows a gap.
      stream.recordInterruption();
      tally.counts.badFrames += 1;
      return;
    }
    const { timeUs, accountToRefresh } = event;
    lastEventUs = Math.max(lastEventUs ?? 0, timeUs);
    stream.add(event, { timeUs, host: server });
    tally.add(event);
    if (accountToRefresh !== null) request.refreshAccount(accountToRefresh);
    link.pauseIfFull();
  }

  function state(): StreamState {
    const lastEventMs = lastEventUs === null ? null : Math.floor(lastEventUs / 1000);
    const { status, detail } = link.status();
    return {
      status,
      detail: dictionaryError === null ? detail : `${detail}, uncompressed: ${dictionaryError}`,
      host,
      liveSinceMs: link.liveSinceMs(),
      lastEventMs,
      lagMs: lastEventMs === null ? null : Math.max(0, clock.now() - lastEventMs),
      ...tally.counts,
      counted: { ...tally.counts.counted },
      reconnects,
      waitingEvents: writer?.pendingEvents() ?? 0,
    };
  }

  const finished = run();
  return {
    state,
    stop: async () => {
      link.stop();
      await finished;
      await writer?.stop();
    },
  };
}
