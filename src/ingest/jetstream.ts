import type { Archive } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import { createGuard } from "../lib/guard.ts";
import { postCollection } from "../platforms/bluesky/post.ts";
import { readStreamEvent } from "../platforms/bluesky/stream-event.ts";
import { backoffMs } from "./backoff.ts";
import { createRecentKeys } from "./recent-keys.ts";
import {
  type ConnectionEnd,
  openStreamConnection,
  type StreamConnection,
} from "./stream-connection.ts";
import { type StreamPlace, type StreamWriter, startStreamWriter } from "./stream-writer.ts";

/**
 * Live ingestion from Bluesky's Jetstream. What it promises:
 *
 * - Every post, edit and delete that a server still has is taken, in the order it came, and none is doubled: after each cut
 *   or restart it resumes at the time of the last event on disk, less an overlap, and passes over what it had.
 * - The place is a time, as sequence numbers of one server mean nothing to another, nor to itself after a crash. Each server
 *   tells it by its own clock, so a server is kept while it works, and another one is asked for a longer overlap.
 * - Coverage is claimed from one event to a later one of an unbroken stream. A server that no longer has the place resumed at
 *   begins later, with an event beyond all that came before: there the coverage gets a gap.
 * - Servers are asked to leave out events above the largest size. One that sends such an event all the same would send it
 *   again for ever: the place moves past it, in growing steps, and the coverage gets a gap.
 * - When events wait for the archive it stops reading; when the archive cannot write it waits and skips nothing.
 */
export type Ingest = {
  state(): IngestState;
  /** Ends the connection, writes what has arrived, and resolves. */
  stop(): Promise<void>;
};

export type IngestState = {
  status: "off" | "waiting" | "connected" | "paused";
  /** One line for people. */
  detail: string;
  host: string | null;
  /** How far the last event lies back; null before the first. */
  lagMs: number | null;
  lastEventMs: number | null;
  events: number;
  posts: number;
  deletes: number;
  badFrames: number;
  reconnects: number;
};

export type JetstreamSettings = {
  /** Addresses of `/subscribe`; the next one is tried when one does not serve. */
  urls: readonly string[];
  /** How far back the very first start begins. */
  lookbackMs: number;
  overlapMs: number;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  maxWaitingEvents: number;
  /** Events that are remembered to know them again. */
  maxRememberedEvents: number;
  maxFrameBytes: number;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
  userAgent: string;
};

export const publicJetstreamUrls: readonly string[] = [
  "wss://jetstream1.us-east.bsky.network/subscribe",
  "wss://jetstream2.us-east.bsky.network/subscribe",
  "wss://jetstream1.us-west.bsky.network/subscribe",
  "wss://jetstream2.us-west.bsky.network/subscribe",
];

export const defaultJetstreamSettings: JetstreamSettings = {
  urls: publicJetstreamUrls,
  lookbackMs: 0,
  overlapMs: 5_000,
  batchEvents: 1_000,
  batchMs: 100,
  quietBatchMs: 1_000,
  maxWaitingEvents: 5_000,
  maxRememberedEvents: 50_000,
  maxFrameBytes: 4 * 1024 ** 2,
  handshakeTimeoutMs: 10_000,
  idleTimeoutMs: 30_000,
  leastBackoffMs: 250,
  mostBackoffMs: 30_000,
  userAgent: "earshot/0.1",
};

export type IngestLog = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

export type JetstreamRequest = {
  archive: Pick<Archive, "write" | "readCheckpoint">;
  clock: Clock;
  /** From 0 to below 1. */
  random: () => number;
  settings: JetstreamSettings;
  log: IngestLog;
};

const checkpointName = "jetstream";
/** An event from further ahead is no time to resume at: it would let everything before it go by. */
const mostAheadMs = 86_400_000;
/** Connections in a row without an event after which the next server is tried. */
const triesOfServer = 2;
/** The least overlap with what another server told: by so much their clocks may differ. */
const otherServerOverlapMs = 60_000;
/** The first step past an event that is too large; it doubles until something new comes. */
const leastStepUs = 100_000;

export function startJetstream(request: JetstreamRequest): Ingest {
  const { archive, clock, random, settings, log } = request;
  const backoff = { leastMs: settings.leastBackoffMs, mostMs: settings.mostBackoffMs };
  const configured = settings.urls.filter((url) => !publicJetstreamUrls.includes(url));
  const guard = createGuard(configured);
  const recent = createRecentKeys(settings.maxRememberedEvents);
  const stopping = new AbortController();
  const startedMs = clock.now();

  const counts = { events: 0, posts: 0, deletes: 0, badFrames: 0, reconnects: 0 };
  let lastEventUs: number | null = null;
  let link: Link = { kind: "connecting" };
  let host: string | null = null;
  let connection: StreamConnection | null = null;
  let isPaused = false;
  let writer: StreamWriter | null = null;
  /** Where one server's stream goes on behind an event that is too large. */
  let passed: { host: string; toUs: number } | null = null;
  let stepUs = leastStepUs;

  async function run(): Promise<void> {
    const saved = await readSavedPlace();
    if (stopping.signal.aborted) return;
    const stream = startStreamWriter({
      archive,
      clock,
      random,
      checkpoint: checkpointName,
      coverageSource: "jetstream",
      saved,
      batchEvents: settings.batchEvents,
      batchMs: settings.batchMs,
      quietBatchMs: settings.quietBatchMs,
      retry: backoff,
      onWritten: resumeReading,
      onFailure: (reason) => log.warn({ reason }, "ingest: the archive does not take a batch"),
    });
    writer = stream;
    let failures = 0;
    let misses = 0;
    let durableUs = saved?.timeUs ?? 0;
    let turn = settings.urls.findIndex((url) => URL.parse(url)?.host === saved?.host);
    turn = Math.max(turn, 0);
    while (!stopping.signal.aborted) {
      const url = urlOf(turn, stream);
      const before = { events: counts.events, reachUs: lastEventUs };
      const { reason, frameTooLarge } = await listen(url, stream);
      if (stopping.signal.aborted) return;
      counts.reconnects += 1;
      log.info({ host: url.host, reason }, "ingest: connection ended");
      if (lastEventUs !== before.reachUs) stepUs = leastStepUs;
      else if (frameTooLarge) passLargeEvent(url.host, stream);
      misses = counts.events > before.events || frameTooLarge ? 0 : misses + 1;
      if (misses === triesOfServer) {
        misses = 0;
        turn += 1;
      }
      // An overlap that comes again is no progress.
      const placeUs = stream.place()?.timeUs ?? 0;
      failures = placeUs > durableUs ? 0 : failures + 1;
      durableUs = placeUs;
      await wait(url.hostname, reason, failures);
    }
  }

  /** Moves the place behind an event that this server sends though it is too large; where it ends is not known. */
  function passLargeEvent(eventHost: string, stream: StreamWriter): void {
    const reachUs = lastEventUs ?? stream.place()?.timeUs ?? firstPlaceUs();
    if (reachUs === null) return;
    const toUs = Math.min(reachUs + stepUs, clock.now() * 1000);
    if (stepUs === leastStepUs) counts.badFrames += 1;
    stepUs *= 2;
    passed = { host: eventHost, toUs };
    log.warn(
      { host: eventHost, fromMs: reachUs / 1000, toMs: toUs / 1000 },
      "ingest: an event above EARSHOT_INGEST_MAX_FRAME_BYTES is passed over; the coverage has a gap there",
    );
  }

  const firstPlaceUs = (): number | null =>
    settings.lookbackMs > 0 ? (startedMs - settings.lookbackMs) * 1000 : null;

  async function readSavedPlace(): Promise<StreamPlace | null> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      try {
        return placeOf(await archive.readCheckpoint(checkpointName));
      } catch (fault) {
        await wait("the archive", messageOf(fault), failures);
      }
    }
    return null;
  }

  function urlOf(turn: number, stream: StreamWriter): URL {
    const url = new URL(settings.urls[turn % settings.urls.length] ?? "");
    url.searchParams.set("wantedCollections", postCollection);
    url.searchParams.set("maxMessageSizeBytes", String(settings.maxFrameBytes));
    const cursorUs = cursorFor(url.host, stream.place());
    if (cursorUs !== null) url.searchParams.set("cursor", String(cursorUs));
    return url;
  }

  function cursorFor(server: string, place: StreamPlace | null): number | null {
    const passedUs = passed?.host === server ? passed.toUs : null;
    if (place === null) return passedUs ?? firstPlaceUs();
    const { overlapMs } = settings;
    const isSame = place.host === server;
    const backMs = isSame ? overlapMs : Math.max(overlapMs, otherServerOverlapMs);
    return Math.max(place.timeUs - backMs * 1000, passedUs ?? 0);
  }

  async function listen(url: URL, stream: StreamWriter): Promise<ConnectionEnd> {
    host = url.hostname;
    link = { kind: "connecting" };
    stream.reconnected();
    const opened = openStreamConnection({
      url,
      guard,
      clock,
      userAgent: settings.userAgent,
      handshakeTimeoutMs: settings.handshakeTimeoutMs,
      idleTimeoutMs: settings.idleTimeoutMs,
      maxFrameBytes: settings.maxFrameBytes,
      onOpen: () => {
        link = { kind: "connected" };
        log.info({ host: url.host }, "ingest: connected");
        pauseWhenFull(stream);
      },
      onFrame: (frame) => {
        if (connection === opened) takeFrame(frame, url.host, stream);
      },
    });
    connection = opened;
    const end = await opened.ended;
    connection = null;
    isPaused = false;
    return end;
  }

  function takeFrame(frame: string | null, server: string, stream: StreamWriter): void {
    const event = frame === null ? { fault: "not text" } : readStreamEvent(frame);
    if ("fault" in event || event.timeUs > (clock.now() + mostAheadMs) * 1000) {
      counts.badFrames += 1;
      return;
    }
    counts.events += 1;
    lastEventUs = Math.max(lastEventUs ?? 0, event.timeUs);
    const isNew = recent.add(event.key);
    stream.add(isNew ? event : { ...event, change: null }, server);
    if (isNew && event.change?.kind === "upsert") counts.posts += 1;
    if (isNew && event.change?.kind === "delete") counts.deletes += 1;
    pauseWhenFull(stream);
  }

  function pauseWhenFull(stream: StreamWriter): void {
    if (isPaused || stream.waiting() < settings.maxWaitingEvents) return;
    isPaused = true;
    connection?.pause();
  }

  function resumeReading(): void {
    if (!isPaused || (writer?.waiting() ?? 0) > settings.maxWaitingEvents / 2) return;
    isPaused = false;
    connection?.resume();
  }

  async function wait(whom: string, reason: string, failures: number): Promise<void> {
    const waitMs = backoffMs(failures, backoff, random);
    link = { kind: "waiting", whom, reason, untilMs: clock.elapsed() + waitMs };
    await clock.sleep(waitMs, stopping.signal).catch(() => {});
  }

  function state(): IngestState {
    const lastEventMs = lastEventUs === null ? null : Math.floor(lastEventUs / 1000);
    return {
      ...statusNow(),
      host,
      lastEventMs,
      lagMs: lastEventMs === null ? null : Math.max(0, clock.now() - lastEventMs),
      ...counts,
    };
  }

  function statusNow(): Pick<IngestState, "status" | "detail"> {
    if (stopping.signal.aborted) return { status: "off", detail: "stopped" };
    const failure = writer?.failure() ?? null;
    if (failure !== null) {
      const next = secondsUntil(clock, failure.retryAtMs);
      return { status: "paused", detail: `waiting for the archive: ${failure.reason}, ${next}` };
    }
    if (isPaused) {
      return { status: "paused", detail: `${writer?.waiting()} events wait for the archive` };
    }
    if (link.kind === "connected") return { status: "connected", detail: `connected to ${host}` };
    if (link.kind === "connecting") {
      return { status: "waiting", detail: `waiting for ${host ?? "the archive"}: connecting` };
    }
    const next = secondsUntil(clock, link.untilMs);
    return { status: "waiting", detail: `waiting for ${link.whom}: ${link.reason}, ${next}` };
  }

  const ended = run();
  return {
    state,
    stop: async () => {
      stopping.abort();
      connection?.close();
      await ended;
      await writer?.stop();
    },
  };
}

type Link =
  | { kind: "connecting" }
  | { kind: "connected" }
  | { kind: "waiting"; whom: string; reason: string; untilMs: number };

const secondsUntil = (clock: Clock, untilMs: number): string =>
  `next try in ${Math.max(0, Math.ceil((untilMs - clock.elapsed()) / 1000))} s`;

/** A saved place; null when there is none. */
function placeOf(checkpoint: string | null): StreamPlace | null {
  if (checkpoint === null) return null;
  const { timeUs, host }: { timeUs?: unknown; host?: unknown } = JSON.parse(checkpoint);
  if (!Number.isSafeInteger(timeUs)) return null;
  return { timeUs: Number(timeUs), host: typeof host === "string" ? host : null };
}
