import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import { createGuard } from "../../lib/guard.ts";
import type { IngestLog } from "../ingest-log.ts";
import type { StreamState } from "../ingest-state.ts";
import type { ConnectionEnd } from "../streams/connection.ts";
import { createFrameReader, type FrameText } from "../streams/frames.ts";
import { createStreamLink } from "../streams/link.ts";
import { createStreamTally } from "../streams/tally.ts";
import { type StreamWriter, startStreamWriter } from "../streams/writer.ts";
import { createJetstreamCursor } from "./cursor.ts";
import { createEventTaker, type EventTaker } from "./events.ts";
import { isLaterPosition, type JetstreamPosition, readJetstreamPosition } from "./position.ts";
import { type JetstreamSettings, publicJetstreamUrls } from "./settings.ts";

/**
 * Live ingestion from Bluesky's Jetstream. What it promises:
 *
 * - Every post, edit, delete, like, repost, profile, handle and account state that a server still has is taken, in the order
 *   it came, and none is doubled: after each cut or restart it resumes at the time of the last event on disk, less an overlap,
 *   and passes over what it had.
 * - Counts are never too low for what was received. Within a process none is doubled, whichever server sends it again; after
 *   a restart some may be, those of `isCountedBefore`.
 * - The place is a time, as sequence numbers of one server mean nothing to another, nor to itself after a crash. Each server
 *   tells it by its own clock, so a server is kept while it works, and another one is asked for a longer overlap.
 * - Coverage is claimed from one event to a later one of an unbroken stream. A server that no longer has the place resumed at
 *   begins later, with an event beyond all that came before: there the coverage gets a gap.
 * - Servers are asked to leave out events above the largest size. One that sends such an event all the same would send it
 *   again for ever: the place moves past it, in growing steps, and the coverage gets a gap.
 * - When events wait for the archive it stops reading; when the archive cannot write it waits and skips nothing.
 */
export type Jetstream = {
  state(): StreamState;
  /** Ends the connection, writes what has arrived, and resolves. */
  stop(): Promise<void>;
};

export type JetstreamRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint">;
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  settings: JetstreamSettings;
  /** The dictionary of compressed frames; asked for before each connection until it is there. Rejects when it is not to be had. */
  dictionary: (signal: AbortSignal) => Promise<Buffer>;
  /** Is told of accounts whose handle may have changed. */
  onRenamed: (account: string) => void;
  log: IngestLog;
};

const checkpointName = "jetstream";
/** Connections in a row without an event after which the next server is tried. */
const triesOfServer = 2;

export function startJetstream(request: JetstreamRequest): Jetstream {
  const { archive, clock, random, settings, log } = request;
  const cursor = createJetstreamCursor(settings, clock);
  const tally = createStreamTally();
  let reconnects = 0;
  let lastEventUs: number | null = null;
  let host: string | null = null;
  let writer: StreamWriter<JetstreamPosition> | null = null;
  let dictionary: Buffer | null = null;
  let withoutDictionary: string | null = null;

  const link = createStreamLink({
    archive,
    clock,
    random,
    guard: createGuard(settings.urls.filter((url) => !publicJetstreamUrls.includes(url))),
    settings,
    waiting: () => writer?.waiting() ?? 0,
    failure: () => writer?.failure() ?? null,
    onOpen: (name) => log.info({ host: name }, "ingest: connected"),
  });

  async function run(): Promise<void> {
    const saved = await link.readPlace(checkpointName, readJetstreamPosition);
    if (link.signal.aborted) return;
    const stream = startWriter(saved);
    writer = stream;
    const followed = new Set(settings.followed);
    const take = createEventTaker({ ...settings, clock, random, followed, saved });
    let failures = 0;
    let misses = 0;
    let durableUs = saved?.timeUs ?? 0;
    let turn = settings.urls.findIndex((url) => URL.parse(url)?.host === saved?.host);
    turn = Math.max(turn, 0);
    while (!link.signal.aborted) {
      await takeDictionary();
      if (link.signal.aborted) return;
      const url = cursor.urlOf(turn, stream.place(), dictionary !== null);
      const before = { events: tally.counts.events, reachUs: lastEventUs };
      const { reason, frameTooLarge } = await listen(url, stream, take);
      if (link.signal.aborted) return;
      reconnects += 1;
      log.info({ host: url.host, reason }, "ingest: connection ended");
      if (lastEventUs !== before.reachUs) cursor.progressed();
      else if (frameTooLarge) passLargeEvent(url.host, stream);
      misses = tally.counts.events > before.events || frameTooLarge ? 0 : misses + 1;
      if (misses === triesOfServer) {
        misses = 0;
        turn += 1;
      }
      // An overlap that comes again is no progress.
      const placeUs = stream.place()?.timeUs ?? 0;
      failures = placeUs > durableUs ? 0 : failures + 1;
      durableUs = placeUs;
      await link.wait(url.hostname, reason, failures);
    }
  }

  const startWriter = (saved: JetstreamPosition | null): StreamWriter<JetstreamPosition> =>
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
      saved: saved === null ? null : { place: saved, timeUs: saved.timeUs },
      isLater: isLaterPosition,
      onWritten: link.written,
      onFailure: (reason) => log.warn({ reason }, "ingest: the archive does not take a batch"),
    });

  /** Without the dictionary the stream comes in plain text: it is not worth waiting for. */
  async function takeDictionary(): Promise<void> {
    if (settings.compress === "off" || dictionary !== null) return;
    try {
      dictionary = await request.dictionary(link.signal);
      withoutDictionary = null;
    } catch (fault) {
      withoutDictionary = messageOf(fault);
      log.warn({ reason: withoutDictionary }, "ingest: frames come uncompressed");
    }
  }

  function passLargeEvent(server: string, stream: StreamWriter<JetstreamPosition>): void {
    if (cursor.isFirstStep()) tally.counts.badFrames += 1;
    const step = cursor.passLargeEvent(server, lastEventUs ?? stream.place()?.timeUs ?? null);
    if (step === null) return;
    log.warn(
      { host: server, fromMs: step.fromUs / 1000, toMs: step.toUs / 1000 },
      "ingest: an event above the maximum frame size is skipped; the coverage has a gap there",
    );
  }

  function listen(
    url: URL,
    stream: StreamWriter<JetstreamPosition>,
    take: EventTaker,
  ): Promise<ConnectionEnd> {
    host = url.hostname;
    stream.interrupted();
    const readFrame = createFrameReader({ dictionary, maxBytes: settings.maxFrameBytes });
    return link.listen(url, url.hostname, (frame) =>
      takeFrame(readFrame(frame), url.host, stream, take),
    );
  }

  function takeFrame(
    frame: FrameText,
    server: string,
    stream: StreamWriter<JetstreamPosition>,
    take: EventTaker,
  ): void {
    const event = take(frame, server);
    if (event === null) {
      // What it held is not known: the next event follows a gap.
      stream.interrupted();
      tally.counts.badFrames += 1;
      return;
    }
    const { timeUs, renamed } = event;
    lastEventUs = Math.max(lastEventUs ?? 0, timeUs);
    stream.add(event, { timeUs, host: server });
    tally.add(event);
    if (renamed !== null) request.onRenamed(renamed);
    link.added();
  }

  function state(): StreamState {
    const lastEventMs = lastEventUs === null ? null : Math.floor(lastEventUs / 1000);
    const { status, detail } = link.status();
    return {
      status,
      detail: withoutDictionary === null ? detail : `${detail}, uncompressed: ${withoutDictionary}`,
      host,
      liveSinceMs: link.liveSinceMs(),
      lastEventMs,
      lagMs: lastEventMs === null ? null : Math.max(0, clock.now() - lastEventMs),
      ...tally.counts,
      counted: { ...tally.counts.counted },
      reconnects,
      waitingEvents: writer?.waiting() ?? 0,
    };
  }

  const ended = run();
  return {
    state,
    stop: async () => {
      link.stop();
      await ended;
      await writer?.stop();
    },
  };
}
