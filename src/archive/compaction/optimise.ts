import type { DatabaseSync } from "node:sqlite";
import { type SegmentEntry, segmentPath, setOptimised } from "../catalog/catalog.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { openTableChecksums } from "../segments/table-checksums.ts";
import { truncateLog } from "./checkpoint-log.ts";
import type { CompactionContext } from "./context.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

const cacheKib = 8_000;

export function* optimiseSegment(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<void> {
  const path = segmentPath(folder, entry);
  const segment = openSegmentFile(path, cacheKib);
  try {
    segment.exec("PRAGMA wal_autocheckpoint = 1000; PRAGMA synchronous = NORMAL");
    yield* mergeTermIndex(segment);
  } finally {
    segment.close();
  }
  truncateLog(path);
  yield "worked";
  yield* inLock(catalog, () => setOptimised(catalog, entry));
}

const pagesPerStep = 250;

/** Uses short transactions, because FTS5's `optimize` would hold the write lock for seconds. */
export function* mergeTermIndex(database: DatabaseSync): CompactionSteps<void> {
  const merge = database.prepare("INSERT INTO term(term, rank) VALUES('merge', ?)");
  const selectTotalChanges = database.prepare("SELECT total_changes() AS changes");
  const sums = openTableChecksums(database);
  const changes = (): number => Number(selectTotalChanges.get()?.changes);
  // A negative number starts a merge of the whole index; positive ones continue it.
  for (let pages = -pagesPerStep; ; pages = pagesPerStep) {
    const before = changes();
    const after = yield* inLock(database, () => {
      sums.begin();
      merge.run(pages);
      const now = changes();
      sums.end();
      return now;
    });
    yield "worked";
    // The statement itself counts as one change.
    if (after - before < 2) return;
  }
}
