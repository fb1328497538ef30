import type { Archive } from "../../archive/archive.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { messageOf } from "../../lib/errors.ts";
import {
  type CoveredBy,
  changesOf,
  coverageOf,
  createStreamBatches,
  type StreamBatch,
  type StreamItem,
} from "./batches.ts";

/**
 * Takes the events of a stream to the archive, in their order, in batches: one being written while the next gathers. With
 * each batch go the place to resume at and the time that is held completely. A batch that cannot be written is tried again
 * until it can; none is ever skipped.
 */
export type StreamWriter<Place> = {
  /** Takes an event, and where to resume once it is on disk. */
  add(item: StreamItem, place: Place): void;
  /**
   * Says that something may be missing before what comes next: when the next event lies beyond all that came before, the
   * coverage gets a gap between the two.
   */
  interrupted(): void;
  /** Events that wait to be written. */
  waiting(): number;
  /** Where to resume: the latest place on disk; until there is one, the first that came; null before the first event. */
  place(): Place | null;
  /** Why the last try to write failed, and when the next one is; null when it did not. */
  failure(): { reason: string; retryAtMs: number } | null;
  /** Writes what waits, then ends. A batch that fails once more is left: it is not in the saved place to resume at. */
  stop(): Promise<void>;
};

export type StreamWriterOptions<Place> = {
  archive: Pick<Archive, "write">;
  clock: Clock;
  random: () => number;
  checkpoint: string;
  coverage: CoveredBy;
  /** The place saved by an earlier run, and its time, Unix microseconds. */
  saved: { place: Place; timeUs: number } | null;
  isLater(place: Place, than: Place): boolean;
  batchEvents: number;
  /** Longest wait of an event with anything but counts. */
  batchMs: number;
  /** Longest wait of any other. */
  quietBatchMs: number;
  leastBackoffMs: number;
  mostBackoffMs: number;
  onWritten(): void;
  onFailure(reason: string): void;
};

export function startStreamWriter<Place extends object>(
  options: StreamWriterOptions<Place>,
): StreamWriter<Place> {
  const { archive, clock, saved } = options;
  const backoff = { leastMs: options.leastBackoffMs, mostMs: options.mostBackoffMs };
  const batches = createStreamBatches<Place>({
    batchEvents: options.batchEvents,
    saved: saved?.place ?? null,
    savedMs: saved === null ? null : Math.floor(saved.timeUs / 1000),
    isLater: options.isLater,
  });
  /** The latest time that was received. */
  let reachUs = saved?.timeUs ?? null;
  let durable = saved?.place ?? null;
  let first: Place | null = null;
  let isInterrupted = false;
  let failure: { reason: string; retryAtMs: number } | null = null;
  let wake: () => void = () => {};
  const stopping = new AbortController();

  function add(item: StreamItem, place: Place): void {
    const followsGap = isInterrupted && (reachUs === null || item.timeUs > reachUs);
    isInterrupted = false;
    first ??= place;
    reachUs = Math.max(reachUs ?? 0, item.timeUs);
    const dueBefore = dueMs();
    batches.add(item, place, followsGap, clock.elapsed());
    if (dueMs() !== dueBefore) wake();
  }

  async function run(): Promise<void> {
    for (;;) {
      const batch = await gathered();
      if (batch === null) return;
      batches.close();
      if (!(await written(batch))) return;
      batches.shift();
      durable = batch.place;
      options.onWritten();
    }
  }

  /** The next batch, once it is due; null when there will be none any more. */
  async function gathered(): Promise<StreamBatch<Place> | null> {
    for (;;) {
      if (stopping.signal.aborted) return batches.first();
      const atMs = dueMs();
      if (atMs === null) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      const leftMs = atMs - clock.elapsed();
      if (leftMs <= 0) return batches.first();
      const woken = new AbortController();
      wake = () => woken.abort();
      await clock.sleep(leftMs, woken.signal).catch(() => {});
    }
  }

  /** When the oldest batch is to be written; null when there is none. */
  function dueMs(): number | null {
    const batch = batches.first();
    if (batch === null) return null;
    if (batches.isFull(batch)) return batch.firstMs;
    const { firstMs, firstChangeMs } = batch;
    const quietMs = firstMs + options.quietBatchMs;
    return firstChangeMs === null ? quietMs : Math.min(quietMs, firstChangeMs + options.batchMs);
  }

  async function written(batch: StreamBatch<Place>): Promise<boolean> {
    const changes = changesOf(batch);
    const value = JSON.stringify(batch.place);
    const coverage = coverageOf(batch, options.coverage);
    const checkpoints = [{ name: options.checkpoint, value }];
    for (let failures = 0; ; failures += 1) {
      const isLastTry = stopping.signal.aborted;
      try {
        await archive.write({ changes, checkpoints, coverage });
        failure = null;
        return true;
      } catch (fault) {
        const waitMs = backoffMs(failures, backoff, options.random);
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
    interrupted: () => {
      isInterrupted = true;
    },
    waiting: () => batches.events(),
    place: () => durable ?? first,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      wake();
      await ended;
    },
  };
}
