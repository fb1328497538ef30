import type { DatabaseSync } from "node:sqlite";
import { type SegmentEntry, segmentPath, setOptimised } from "../catalog/catalog.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { openTableChecksums } from "../segments/table-checksums.ts";
import { truncateWal } from "./checkpoint-wal.ts";
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
  truncateWal(path);
  yield "worked";
  yield* inLock(catalog, () => setOptimised(catalog, entry));
}

const pagesPerStep = 250;

/** Uses short transactions, because FTS5's `optimize` would hold the write lock for seconds. */
export function* mergeTermIndex(database: DatabaseSync): CompactionSteps<void> {
  const merge = database.prepare("INSERT INTO term(term, rank) VALUES('merge', ?)");
  const selectTotalChanges = database.prepare("SELECT total_changes() AS changes");
  const tableChecksums = openTableChecksums(database);
  const readTotalChanges = (): number => Number(selectTotalChanges.get()?.changes);
  // A negative number starts a merge of the whole index; positive ones continue it.
  for (let pages = -pagesPerStep; ; pages = pagesPerStep) {
    const changesBefore = readTotalChanges();
    const changesAfter = yield* inLock(database, () => {
      tableChecksums.begin();
      merge.run(pages);
      const totalChanges = readTotalChanges();
      tableChecksums.end();
      return totalChanges;
    });
    yield "worked";
    // The statement itself counts as one change.
    if (changesAfter - changesBefore < 2) return;
  }
}
