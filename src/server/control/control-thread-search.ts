import { RecordCache } from "../../archive/read/rendered-pages.ts";
import { useIdCache } from "../../archive/sealed/id-cache.ts";
import { useVerifiedFiles } from "../../archive/segments/integrity.ts";
import { createSealedCaches } from "../../archive/segments/sealed-index-reader.ts";
import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { createReader } from "../../archive/threads/reader.ts";
import type { SearchAnswerer } from "../../jobs/submissions/search-operations.ts";
import { systemClock } from "../../lib/clock.ts";
import { shortAnswer } from "../../search/archive-answer.ts";

export type ControlThreadSearch = Pick<SearchBudget, "beginBatch"> & { search: SearchAnswerer };

/** Uses a reader of its own. */
export function createControlThreadSearch(share: ReaderShare): ControlThreadSearch {
  const { folder, cacheKib, ids, verifiedFiles, termCacheBytes, recordCacheBytes } = share;
  const caches = createSealedCaches(
    termCacheBytes,
    useIdCache(ids),
    useVerifiedFiles(verifiedFiles),
  );
  const records = new RecordCache(recordCacheBytes);
  const reader = createReader(folder, cacheKib, systemClock, caches, records);
  const { elapsed } = systemClock;
  const { spend, beginBatch } = createSearchBudget();

  const search: SearchAnswerer = (request, nowMs) => {
    const outcome = spend((isOver) => {
      const startMs = elapsed();
      const answer = answerOrNull(() =>
        shortAnswer(reader, request, systemClock, { isOver, nowMs }),
      );
      if (answer === null) return isOver() ? "slow" : "declined";
      return { ...answer, tookMs: Math.floor(elapsed() - startMs) };
    });
    return outcome ?? "busy";
  };

  return { search, beginBatch };
}

/** The reader threads report this error. */
function answerOrNull<Value>(answer: () => Value): Value | null {
  try {
    return answer();
  } catch {
    return null;
  }
}

/** CPU time of a batch, and the part of it after which no search starts. */
const batchCpuMs = 5;
const lastStartCpuMs = 3;
/** Wall-clock limit of a batch, including slow disks and time off the CPU. */
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
