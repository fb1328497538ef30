import { RecordCache } from "../../archive/read/record-cache.ts";
import { useIdCache } from "../../archive/sealed/id-cache.ts";
import { createSealedCaches } from "../../archive/segments/sealed-part.ts";
import { useVerifiedFiles } from "../../archive/segments/verified-files.ts";
import type { ReaderShare } from "../../archive/threads/archive-threads.ts";
import { createReader } from "../../archive/threads/reader.ts";
import type { SearchAnswerer } from "../../jobs/submissions/search-operations.ts";
import { systemClock } from "../../lib/clock.ts";
import { shortAnswer } from "../../search/archive-answer.ts";
import { createSearchBudget, type SearchBudget } from "./search-budget.ts";

export type ControlThreadSearch = Pick<SearchBudget, "beginBatch"> & { search: SearchAnswerer };

/** Uses its own reader. */
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

/** The reader threads report the error. */
function answerOrNull<Value>(answer: () => Value): Value | null {
  try {
    return answer();
  } catch {
    return null;
  }
}
