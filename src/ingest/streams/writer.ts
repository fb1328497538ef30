import type { Archive } from "../../archive/archive.ts";
import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { errorMessage } from "../../lib/errors.ts";
import {
  batchChanges,
  batchCoverage,
  type CoverageSource,
  createStreamBatches,
  type StreamBatch,
  type StreamItem,
} from "./batches.ts";

/**
 * Each batch commits the resume position and coverage. A failed batch is retried until it succeeds
 * or the writer stops; no batch is skipped.
 */
export type StreamWriter<Position> = {
  add(item: StreamItem, position: Position): void;
  /**
   * Events may be missing before the next one. If that is later than all earlier events, coverage
   * has a gap.
   */
  recordInterruption(): void;
  waiting(): number;
  position(): Position | null;
  failure(): { reason: string; retryAtMs: number } | null;
  stop(): Promise<void>;
};

export type StreamWriterOptions<Position> = {
  archive: Pick<Archive, "write">;
  clock: Clock;
  random: () => number;
  checkpoint: string;
  coverage: CoverageSource;
  /** Saved by an earlier run; `timeUs` is in Unix microseconds. */
  saved: { position: Position; timeUs: number } | null;
  isLater(position: Position, than: Position): boolean;
  batchEvents: number;
  batchMs: number;
  quietBatchMs: number;
  minBackoffMs: number;
  maxBackoffMs: number;
  onWritten(): void;
  onFailure(reason: string): void;
};

export function startStreamWriter<Position extends object>(
  options: StreamWriterOptions<Position>,
): StreamWriter<Position> {
  const { archive, clock, saved } = options;
  const backoff = { minMs: options.minBackoffMs, maxMs: options.maxBackoffMs };
  const batches = createStreamBatches<Position>({
    maxEventsPerBatch: options.batchEvents,
    savedPosition: saved?.position ?? null,
    savedToMs: saved === null ? null : Math.floor(saved.timeUs / 1000),
    isLater: options.isLater,
  });
  let reachUs = saved?.timeUs ?? null;
  let durable = saved?.position ?? null;
  let first: Position | null = null;
  let isInterrupted = false;
  let failure: { reason: string; retryAtMs: number } | null = null;
  let onDueChange: () => void = () => {};
  const stopping = new AbortController();

  function add(item: StreamItem, position: Position): void {
    const followsGap = isInterrupted && (reachUs === null || item.timeUs > reachUs);
    isInterrupted = false;
    first ??= position;
    reachUs = Math.max(reachUs ?? 0, item.timeUs);
    const dueBefore = dueElapsedMs();
    batches.add(item, position, followsGap, clock.elapsed());
    if (dueElapsedMs() !== dueBefore) onDueChange();
  }

  async function run(): Promise<void> {
    for (;;) {
      const batch = await nextBatch();
      if (batch === null) return;
      batches.closeFirst();
      if (!(await writeBatch(batch))) return;
      batches.shift();
      durable = batch.position;
      options.onWritten();
    }
  }

  async function nextBatch(): Promise<StreamBatch<Position> | null> {
    for (;;) {
      if (stopping.signal.aborted) return batches.first();
      const dueMs = dueElapsedMs();
      if (dueMs === null) {
        await new Promise<void>((resolve) => {
          onDueChange = resolve;
        });
        continue;
      }
      const remainingMs = dueMs - clock.elapsed();
      if (remainingMs <= 0) return batches.first();
      const dueChanged = new AbortController();
      onDueChange = () => dueChanged.abort();
      await clock.sleep(remainingMs, dueChanged.signal).catch(() => {});
    }
  }

  function dueElapsedMs(): number | null {
    const batch = batches.first();
    if (batch === null) return null;
    if (batches.isFull(batch)) return batch.firstElapsedMs;
    const { firstElapsedMs, firstChangeElapsedMs } = batch;
    const quietDueMs = firstElapsedMs + options.quietBatchMs;
    return firstChangeElapsedMs === null
      ? quietDueMs
      : Math.min(quietDueMs, firstChangeElapsedMs + options.batchMs);
  }

  async function writeBatch(batch: StreamBatch<Position>): Promise<boolean> {
    const changes = batchChanges(batch);
    const value = JSON.stringify(batch.position);
    const coverage = batchCoverage(batch, options.coverage);
    const checkpoints = [{ name: options.checkpoint, value }];
    for (let failures = 0; ; failures += 1) {
      const isLastTry = stopping.signal.aborted;
      try {
        await archive.write({ changes, checkpoints, coverage });
        failure = null;
        return true;
      } catch (error) {
        const waitMs = backoffMs(failures, backoff, options.random);
        failure = { reason: errorMessage(error), retryAtMs: clock.elapsed() + waitMs };
        options.onFailure(failure.reason);
        if (isLastTry) return false;
        await clock.sleep(waitMs, stopping.signal).catch(() => {});
      }
    }
  }

  const ended = run();
  return {
    add,
    recordInterruption: () => {
      isInterrupted = true;
    },
    waiting: () => batches.events(),
    position: () => durable ?? first,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      onDueChange();
      await ended;
    },
  };
}
