import { systemClock } from "../../lib/clock.ts";

/** CPU time of a batch, and the part of it after which no search starts. */
const batchCpuMs = 5;
const lastStartCpuMs = 3;
/** Includes slow disks and time off the CPU. */
const batchWallMs = 25;
const maxBatchSize = 12;

/** Weight of the latest search in the moving mean. */
const latestShare = 0.1;

type Clocks = {
  elapsed(): number;
  cpuMs(): number;
};

export type SearchBudget = {
  /** Returns how many searches fit, at least one. */
  beginBatch(): number;
  /** The search must stop once `isOver` returns true; null if the budget is used up. */
  spend<Value>(search: (isOver: () => boolean) => Value): Value | null;
};

export function createSearchBudget({ elapsed, cpuMs }: Clocks = threadClocks): SearchBudget {
  let batch: { startMs: number; startCpuMs: number } | null = null;
  let meanMs = lastStartCpuMs;

  function spend<Value>(search: (isOver: () => boolean) => Value): Value | null {
    const beginCpuMs = cpuMs();
    batch ??= { startMs: elapsed(), startCpuMs: beginCpuMs };
    const { startMs, startCpuMs } = batch;
    if (beginCpuMs - startCpuMs >= lastStartCpuMs) return null;
    const isOver = (): boolean => {
      const tookMs = elapsed() - startMs;
      if (tookMs < batchCpuMs) return false;
      return tookMs >= batchWallMs || cpuMs() - startCpuMs >= batchCpuMs;
    };
    try {
      return search(isOver);
    } finally {
      meanMs += latestShare * (cpuMs() - beginCpuMs - meanMs);
    }
  }

  return {
    spend,
    beginBatch: () => {
      batch = null;
      return Math.max(1, Math.min(maxBatchSize, Math.floor(lastStartCpuMs / meanMs)));
    },
  };
}

const threadClocks: Clocks = {
  elapsed: systemClock.elapsed,
  cpuMs: () => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1_000;
  },
};
