import { systemClock } from "../lib/clock.ts";

/** How much processor time the searches of one batch may take together, milliseconds, and until when another one begins. */
const batchCpuMs = 5;
const lastBeginCpuMs = 3;
/** How long they may take by the clock, as the disk may be slow; a thread that has to wait for a processor does no work. */
const batchWallMs = 25;
const mostOfBatch = 12;

/** The weight of the latest search in the mean. */
const latestShare = 0.1;

type Clocks = {
  /** Milliseconds. */
  elapsed(): number;
  /** Processor time of the calling thread, milliseconds. */
  cpuMs(): number;
};

/** The time of the searches that a thread answers between two commits. */
export type SearchBudget = {
  /** The searches that follow are of another batch; how many of them there is time for, at least one. */
  beginBatch(): number;
  /** Runs a search, which stops when `isOver`; null when there is no time for it. */
  spend<Value>(search: (isOver: () => boolean) => Value): Value | null;
};

export function createSearchBudget({ elapsed, cpuMs }: Clocks = threadClocks): SearchBudget {
  let batch: { startMs: number; startCpuMs: number } | null = null;
  let meanMs = lastBeginCpuMs;

  function spend<Value>(search: (isOver: () => boolean) => Value): Value | null {
    const beginCpuMs = cpuMs();
    batch ??= { startMs: elapsed(), startCpuMs: beginCpuMs };
    const { startMs, startCpuMs } = batch;
    if (beginCpuMs - startCpuMs >= lastBeginCpuMs) return null;
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
      return Math.max(1, Math.min(mostOfBatch, Math.floor(lastBeginCpuMs / meanMs)));
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
