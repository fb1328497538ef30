import type { Archive, CoverageInterval, WriteBatch } from "../archive/archive.ts";
import type { Clock } from "../lib/clock.ts";
import { messageOf } from "../lib/errors.ts";
import type { StreamEvent } from "../platforms/bluesky/stream-event.ts";
import { backoffMs } from "./backoff.ts";

/**
 * Takes the events of a stream to the archive, in their order, in batches: one being written while the next gathers. With
 * each batch go the place to resume at and the time that is held completely. A batch that cannot be written is tried again
 * until it can; none is ever skipped.
 */
export type StreamWriter = {
  /** Takes an event that came from this host. */
  add(event: StreamEvent, host: string): void;
  /**
   * Says that what comes next follows a new connection. When its first event lies beyond all that came before, something
   * may be missing between the two, and the coverage gets a gap there.
   */
  reconnected(): void;
  /** Events that wait to be written. */
  waiting(): number;
  /** Where to resume: the last event on disk; null before the first event. */
  place(): StreamPlace | null;
  /** Why the last try to write failed, and when the next one is; null when it did not. */
  failure(): { reason: string; retryAtMs: number } | null;
  /** Writes what waits, then ends. A batch that fails once more is left: it is not in the saved place to resume at. */
  stop(): Promise<void>;
};

/** A time, Unix microseconds, by the clock of the host that told it; null where that is not known. */
export type StreamPlace = { timeUs: number; host: string | null };

export type StreamWriterOptions = {
  archive: Pick<Archive, "write">;
  clock: Clock;
  random: () => number;
  checkpoint: string;
  coverageSource: string;
  /** The place saved by an earlier run. */
  saved: StreamPlace | null;
  batchEvents: number;
  batchMs: number;
  /** How often the place is saved while nothing comes that concerns the archive. */
  quietBatchMs: number;
  retry: { leastMs: number; mostMs: number };
  onWritten(): void;
  onFailure(reason: string): void;
};

type Waiting = StreamEvent & { host: string; followsGap: boolean; arrivedMs: number };

export function startStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { archive, clock, batchEvents, saved } = options;
  let queue: Waiting[] = [];
  let queuedChanges = 0;
  /** The latest time that was received, and the latest that is on disk. */
  let reachUs = saved?.timeUs ?? null;
  let durable = saved;
  let first: StreamPlace | null = null;
  let coveredToMs = saved === null ? null : Math.floor(saved.timeUs / 1000);
  let isFirstOfConnection = true;
  let failure: { reason: string; retryAtMs: number } | null = null;
  let wake: () => void = () => {};
  const stopping = new AbortController();

  function add(event: StreamEvent, host: string): void {
    const followsGap = isFirstOfConnection && (reachUs === null || event.timeUs > reachUs);
    isFirstOfConnection = false;
    first ??= { timeUs: event.timeUs, host };
    reachUs = Math.max(reachUs ?? 0, event.timeUs);
    queue.push({ ...event, host, followsGap, arrivedMs: clock.elapsed() });
    if (event.change !== null) queuedChanges += 1;
    if (queue.length === 1 || queuedChanges === 1 || queue.length >= batchEvents) wake();
  }

  async function run(): Promise<void> {
    while (await gathered()) {
      const events = queue.slice(0, batchEvents);
      const coverage = coverageOf(events);
      const batch = batchOf(events, coverage.intervals);
      if (!(await written(batch))) return;
      queue = queue.slice(events.length);
      queuedChanges -= batch.changes.length;
      durable = latestOf(events, durable);
      coveredToMs = coverage.toMs;
      options.onWritten();
    }
  }

  /** Waits until a batch is due; false when there will be none any more. */
  async function gathered(): Promise<boolean> {
    for (;;) {
      const first = queue[0];
      if (stopping.signal.aborted || queue.length >= batchEvents) return first !== undefined;
      if (first === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const waitMs = queuedChanges > 0 ? options.batchMs : options.quietBatchMs;
      const leftMs = first.arrivedMs + waitMs - clock.elapsed();
      if (leftMs <= 0) return true;
      const woken = new AbortController();
      wake = () => woken.abort();
      await clock.sleep(leftMs, woken.signal).catch(() => {});
    }
  }

  function batchOf(events: readonly Waiting[], coverage: readonly CoverageInterval[]): WriteBatch {
    const changes = events.flatMap(({ change }) => (change === null ? [] : [change]));
    const value = JSON.stringify(latestOf(events, durable));
    return {
      changes,
      checkpoints: [{ name: options.checkpoint, value }],
      coverage,
    };
  }

  /** From the end of what was held before to the last event, anew after each gap. */
  function coverageOf(events: readonly Waiting[]): {
    intervals: readonly CoverageInterval[];
    toMs: number | null;
  } {
    const intervals: CoverageInterval[] = [];
    let fromMs = coveredToMs;
    let toMs = coveredToMs;
    const close = (): void => {
      if (fromMs === null || toMs === null || fromMs >= toMs) return;
      intervals.push({ platform: "bluesky", source: options.coverageSource, fromMs, toMs });
    };
    for (const { timeUs, followsGap } of events) {
      const timeMs = Math.floor(timeUs / 1000);
      if (followsGap) {
        close();
        fromMs = timeMs;
        toMs = timeMs;
      }
      toMs = Math.max(toMs ?? timeMs, timeMs);
    }
    close();
    return { intervals, toMs };
  }

  async function written(batch: WriteBatch): Promise<boolean> {
    for (let failures = 0; ; failures += 1) {
      const isLastTry = stopping.signal.aborted;
      try {
        await archive.write(batch);
        failure = null;
        return true;
      } catch (fault) {
        const waitMs = backoffMs(failures, options.retry, options.random);
        failure = { reason: messageOf(fault), retryAtMs: clock.elapsed() + waitMs };
        options.onFailure(failure.reason);
        if (isLastTry) return false;
        await clock.sleep(waitMs, stopping.signal).catch(() => {});
      }
    }
  }

  const ended = run();
  return {
    add,
    reconnected: () => {
      isFirstOfConnection = true;
    },
    waiting: () => queue.length,
    place: () => durable ?? first,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      wake();
      await ended;
    },
  };
}

const latestOf = (events: readonly Waiting[], before: StreamPlace | null): StreamPlace | null =>
  events.reduce<StreamPlace | null>(
    (latest, { timeUs, host }) =>
      latest === null || timeUs > latest.timeUs ? { timeUs, host } : latest,
    before,
  );
