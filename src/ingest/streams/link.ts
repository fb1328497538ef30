import type { Archive } from "../../archive/archive.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import type { Guard } from "../../lib/guard.ts";
import type { ComponentStatus } from "../ingest-state.ts";
import {
  type ConnectionEnd,
  openStreamConnection,
  type StreamConnection,
  type StreamConnectionOptions,
} from "./connection.ts";
import type { Frame } from "./frames.ts";

/** One connection at a time, with exponential backoff and back-pressure from the archive. */
export type StreamLink = {
  signal: AbortSignal;
  /** Retries until the archive responds; null if nothing is saved or the link stops first. */
  readPosition<Position>(
    checkpoint: string,
    read: (value: string | null) => Position | null,
  ): Promise<Position | null>;
  listen(
    url: URL,
    name: string,
    onFrame: (frame: Frame) => void,
    open?: OpenConnection,
  ): Promise<ConnectionEnd>;
  wait(peer: string, reason: string, failures: number): Promise<void>;
  pauseIfFull(): void;
  resumeIfDrained(): void;
  liveSinceMs(): number | null;
  status(): { status: ComponentStatus; detail: string };
  stop(): void;
};

export type OpenConnection = (options: StreamConnectionOptions) => StreamConnection;

export type StreamLinkOptions = {
  archive: Pick<Archive, "readCheckpoint">;
  clock: Clock;
  random: () => number;
  guard: Guard;
  settings: {
    maxWaitingEvents: number;
    maxFrameBytes: number;
    handshakeTimeoutMs: number;
    idleTimeoutMs: number;
    minBackoffMs: number;
    maxBackoffMs: number;
    userAgent: string;
  };
  pendingEvents(): number;
  failure(): { reason: string; retryAtMs: number } | null;
  onOpen(name: string): void;
};

type Link =
  | { kind: "connecting"; peer: string }
  | { kind: "connected"; peer: string }
  | { kind: "waiting"; peer: string; reason: string; untilMs: number };

export function createStreamLink(options: StreamLinkOptions): StreamLink {
  const { archive, clock, random, guard, settings } = options;
  const backoff = { minMs: settings.minBackoffMs, maxMs: settings.maxBackoffMs };
  const stopping = new AbortController();
  let link: Link = { kind: "connecting", peer: "the archive" };
  let connection: StreamConnection | null = null;
  let isPaused = false;
  let openedAtMs: number | null = null;

  async function readPosition<Position>(
    checkpoint: string,
    read: (value: string | null) => Position | null,
  ): Promise<Position | null> {
    for (let failures = 0; !stopping.signal.aborted; failures += 1) {
      try {
        return read(await archive.readCheckpoint(checkpoint));
      } catch (error) {
        await wait("the archive", errorMessage(error), failures);
      }
    }
    return null;
  }

  async function listen(
    url: URL,
    name: string,
    onFrame: (frame: Frame) => void,
    open: OpenConnection = openStreamConnection,
  ): Promise<ConnectionEnd> {
    link = { kind: "connecting", peer: name };
    const openedConnection = open({
      ...settings,
      url,
      guard,
      clock,
      onOpen: () => {
        link = { kind: "connected", peer: name };
        openedAtMs = clock.now();
        options.onOpen(name);
        pauseIfFull();
      },
      onFrame: (frame) => {
        if (connection === openedConnection) onFrame(frame);
      },
    });
    connection = openedConnection;
    const end = await openedConnection.closed;
    connection = null;
    openedAtMs = null;
    isPaused = false;
    return end;
  }

  async function wait(peer: string, reason: string, failures: number): Promise<void> {
    const waitMs = backoffMs(failures, backoff, random);
    link = { kind: "waiting", peer, reason, untilMs: clock.elapsed() + waitMs };
    await clock.sleep(waitMs, stopping.signal).catch(() => {});
  }

  function pauseIfFull(): void {
    if (isPaused || options.pendingEvents() < settings.maxWaitingEvents) return;
    isPaused = true;
    connection?.pause();
  }

  function resumeIfDrained(): void {
    if (!isPaused || options.pendingEvents() > settings.maxWaitingEvents / 2) return;
    isPaused = false;
    connection?.resume();
  }

  const liveSinceMs = (): number | null =>
    isPaused || options.failure() !== null || stopping.signal.aborted ? null : openedAtMs;

  function status(): { status: ComponentStatus; detail: string } {
    if (stopping.signal.aborted) return { status: "off", detail: "stopped" };
    const failure = options.failure();
    if (failure !== null) {
      const nextTryText = nextTry(clock, failure.retryAtMs);
      return {
        status: "paused",
        detail: `waiting for the archive: ${failure.reason}, ${nextTryText}`,
      };
    }
    if (isPaused) {
      return {
        status: "paused",
        detail: `${options.pendingEvents()} events are waiting for the archive`,
      };
    }
    const { peer } = link;
    if (link.kind === "connected") return { status: "connected", detail: `connected to ${peer}` };
    const reason =
      link.kind === "connecting" ? link.kind : `${link.reason}, ${nextTry(clock, link.untilMs)}`;
    return { status: "waiting", detail: `waiting for ${peer}: ${reason}` };
  }

  return {
    signal: stopping.signal,
    readPosition,
    listen,
    wait,
    pauseIfFull,
    resumeIfDrained,
    liveSinceMs,
    status,
    stop: () => {
      stopping.abort();
      connection?.close();
    },
  };
}

export const nextTry = (clock: Clock, untilMs: number): string =>
  `next try in ${Math.max(0, Math.ceil((untilMs - clock.elapsed()) / 1000))} s`;
