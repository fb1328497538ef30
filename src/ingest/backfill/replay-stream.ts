import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type { Guard } from "../../lib/guard.ts";
import type { BoundedSpan } from "../../lib/spans.ts";
import { collectionNsid, type StreamCollection } from "../../platforms/bluesky/collections.ts";
import { readStreamEvent } from "../../platforms/bluesky/stream-event.ts";
import { openStreamConnection } from "../streams/connection.ts";
import { createFrameReader, type Frame } from "../streams/frames.ts";
import type { ReplayWriter } from "./replay-writer.ts";

export type StreamReplay = {
  clock: Clock;
  random: () => number;
  guard: Guard;
  urls: readonly string[];
  userAgent: string;
  handshakeTimeoutMs: number;
  idleTimeoutMs: number;
  maxFrameBytes: number;
  followed: ReadonlySet<StreamCollection>;
  writer: ReplayWriter;
  signal: AbortSignal;
  onProgress: (reachedMs: number) => void;
};

/** Server clocks differ: this overlap makes the next server repeat the last event. */
const overlapMs = 60_000;
const maxDisorderMs = 1_000;
/** After this much silence, a server has sent all events in a past span. */
const quietMs = 5_000;
const idleMs = 15_000;
const maxTries = 5;
const backoff = { minMs: 500, maxMs: 10_000 };
const maxQueuedFrames = 5_000;

/**
 * If a server starts later than requested, or sends nothing, the missed part is not covered.
 * Errors: `upstream_unreachable` if no server makes progress.
 */
export async function replayStream(
  span: BoundedSpan,
  replay: StreamReplay,
): Promise<{ badFrames: number }> {
  const { clock, random, urls, signal, writer, onProgress } = replay;
  let reachedUs = span.fromMs * 1_000;
  let badFrames = 0;
  let isDone = false;
  let reason = "";
  writer.begin(span.fromMs, maxDisorderMs);
  for (let failures = 0; failures < maxTries; failures += 1) {
    const previousUs = reachedUs;
    await listen(urls[failures % urls.length] ?? "");
    const reachedMs = Math.min(Math.floor(reachedUs / 1_000), span.toMs);
    if (isDone) {
      await writer.end(reachedMs);
      return { badFrames };
    }
    await writer.flush(reachedMs);
    signal.throwIfAborted();
    if (reachedUs > previousUs) failures = 0;
    await clock.sleep(backoffMs(failures, backoff, random), signal);
  }
  throw new EarshotError("upstream_unreachable", `no stream server made progress: ${reason}`, {
    status: 502,
    retryable: true,
    hint: "retry; the replay resumes",
  });

  async function listen(address: string): Promise<void> {
    const url = new URL(address);
    for (const collection of replay.followed)
      url.searchParams.append("wantedCollections", collectionNsid(collection));
    url.searchParams.set("maxMessageSizeBytes", String(replay.maxFrameBytes));
    url.searchParams.set("cursor", String(reachedUs - overlapMs * 1_000));
    const readFrame = createFrameReader({ dictionary: null, maxBytes: replay.maxFrameBytes });
    let queuedFrames: Frame[] = [];
    let isPaused = false;
    let isEnded = false;
    let isFirst = true;
    const requestedMs = clock.elapsed();
    let reportActivity: () => void = () => {};
    const connection = openStreamConnection({
      ...replay,
      url,
      onOpen: () => {},
      onFrame: (frame) => {
        queuedFrames.push(frame);
        if (queuedFrames.length >= maxQueuedFrames && !isPaused) {
          isPaused = true;
          connection.pause();
        }
        reportActivity();
      },
    });
    const stop = () => connection.close();
    signal.addEventListener("abort", stop, { once: true });
    void connection.closed.then((end) => {
      reason = `${url.host}: ${end.reason}`;
      isEnded = true;
      reportActivity();
    });
    try {
      while (!isDone && !signal.aborted) {
        const frames = queuedFrames;
        queuedFrames = [];
        for (const frame of frames) {
          await handleFrame(frame);
          if (isDone || signal.aborted) return;
        }
        if (frames.length > 0) onProgress(Math.floor(reachedUs / 1_000));
        if (isPaused && queuedFrames.length < maxQueuedFrames / 2) {
          isPaused = false;
          connection.resume();
        }
        if (queuedFrames.length > 0) continue;
        if (isEnded) return;
        if (await isQuiet()) isDone = true;
      }
    } finally {
      signal.removeEventListener("abort", stop);
      connection.close();
      await connection.closed;
    }

    /**
     * True after `quietMs` without a frame if the span is past, or `idleMs` without a first frame.
     */
    async function isQuiet(): Promise<boolean> {
      const activity = new AbortController();
      reportActivity = () => activity.abort();
      const slept = await clock.sleep(quietMs, activity.signal).then(
        () => true,
        () => false,
      );
      reportActivity = () => {};
      if (!slept) return false;
      return isFirst ? clock.elapsed() - requestedMs >= idleMs : clock.now() > span.toMs + quietMs;
    }

    async function handleFrame(frame: Frame): Promise<void> {
      const result = readFrame(frame);
      const event =
        typeof result === "string"
          ? { reason: result }
          : readStreamEvent(result.text, replay.followed);
      if ("reason" in event) {
        badFrames += 1;
        return;
      }
      const atMs = Math.floor(event.timeUs / 1_000);
      if (isFirst && event.timeUs > reachedUs) {
        await writer.end(Math.floor(reachedUs / 1_000));
        writer.begin(atMs, maxDisorderMs);
        isDone = atMs >= span.toMs;
        if (isDone) return;
      }
      isFirst = false;
      if (atMs >= span.toMs + maxDisorderMs) {
        isDone = true;
        reachedUs = span.toMs * 1_000;
        return;
      }
      if (atMs >= span.fromMs && atMs < span.toMs) {
        reachedUs = Math.max(reachedUs, event.timeUs);
        await writer.add(atMs, event);
      }
    }
  }
}
