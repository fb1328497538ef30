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
  pendingEvents(): number;
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
  savedState: { position: Position; timeUs: number } | null;
  isLater(position: Position, reference: Position): boolean;
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
  const { archive, clock, savedState } = options;
  const backoff = { minMs: options.minBackoffMs, maxMs: options.maxBackoffMs };
  const batches = createStreamBatches<Position>({
    maxEventsPerBatch: options.batchEvents,
    savedPosition: savedState?.position ?? null,
    savedToMs: savedState === null ? null : Math.floor(savedState.timeUs / 1000),
    isLater: options.isLater,
  });
  let reachedUs = savedState?.timeUs ?? null;
  let durablePosition = savedState?.position ?? null;
  let firstPosition: Position | null = null;
  let isInterrupted = false;
  let failure: { reason: string; retryAtMs: number } | null = null;
  let onDueChange: () => void = () => {};
  const stopping = new AbortController();

  function add(item: StreamItem, position: Position): void {
    const followsGap = isInterrupted && (reachedUs === null || item.timeUs > reachedUs);
    isInterrupted = false;
    firstPosition ??= position;
    reachedUs = Math.max(reachedUs ?? 0, item.timeUs);
    const previousDueMs = dueElapsedMs();
    batches.add(item, position, followsGap, clock.elapsed());
    if (dueElapsedMs() !== previousDueMs) onDueChange();
  }

  async function run(): Promise<void> {
    for (;;) {
      const batch = await nextBatch();
      if (batch === null) return;
      batches.closeFirst();
      if (!(await writeBatch(batch))) return;
      batches.shift();
      durablePosition = batch.position;
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
      const dueChange = new AbortController();
      onDueChange = () => dueChange.abort();
      await clock.sleep(remainingMs, dueChange.signal).catch(() => {});
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

  const finished = run();
  return {
    add,
    recordInterruption: () => {
      isInterrupted = true;
    },
    pendingEvents: () => batches.events(),
    position: () => durablePosition ?? firstPosition,
    failure: () => failure,
    stop: async () => {
      stopping.abort();
      onDueChange();
      await finished;
    },
  };
}
