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
  add(event: StreamEvent): void;
  /**
   * Says that what comes next follows a new connection. When its first event lies beyond all that came before, something
   * may be missing between the two, and the coverage gets a gap there.
   */
  reconnected(): void;
  /** Events that wait to be written. */
  waiting(): number;
  /** The time to resume at, Unix microseconds; null before the first event. */
  resumeUs(): number | null;
  /** Why the last try to write failed, and when the next one is; null when it did not. */
  failure(): { reason: string; retryAtMs: number } | null;
  /** Writes what waits, then ends. A batch that fails once more is left: it is not in the saved place to resume at. */
  stop(): Promise<void>;
};

export type StreamWriterOptions = {
  archive: Pick<Archive, "write">;
  clock: Clock;
  random: () => number;
  checkpoint: string;
  coverageSource: string;
  /** The place saved by an earlier run. */
  savedUs: number | null;
  batchEvents: number;
  batchMs: number;
  /** How often the place is saved while nothing comes that concerns the archive. */
  quietBatchMs: number;
  retry: { leastMs: number; mostMs: number };
  onWritten(): void;
  onFailure(reason: string): void;
};

type Waiting = StreamEvent & { followsGap: boolean; arrivedMs: number };

export function startStreamWriter(options: StreamWriterOptions): StreamWriter {
  const { archive, clock, batchEvents } = options;
  let queue: Waiting[] = [];
  let queuedChanges = 0;
  /** The latest time that was received, and the latest that is on disk. */
  let reachUs = options.savedUs;
  let durableUs = options.savedUs;
  let firstUs: number | null = null;
  let coveredToMs = options.savedUs === null ? null : Math.floor(options.savedUs / 1000);
  let isFirstOfConnection = true;
  let failure: { reason: string; retryAtMs: number } | null = null;
  let wake: () => void = () => {};
  const stopping = new AbortController();

  function add(event: StreamEvent): void {
    const followsGap = isFirstOfConnection && (reachUs === null || event.timeUs > reachUs);
    isFirstOfConnection = false;
    firstUs ??= event.timeUs;
    reachUs = Math.max(reachUs ?? 0, event.timeUs);
    queue.push({ ...event, followsGap, arrivedMs: clock.elapsed() });
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
      durableUs = latestOf(events, durableUs);
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
    const value = JSON.stringify({ timeUs: latestOf(events, durableUs) });
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
    resumeUs: () => durableUs ?? firstUs,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      wake();
      await ended;
    },
  };
}

const latestOf = (events: readonly Waiting[], before: number | null): number =>
  events.reduce((latest, { timeUs }) => Math.max(latest, timeUs), before ?? 0);
