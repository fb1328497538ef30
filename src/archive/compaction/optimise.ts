import { type SegmentEntry, segmentPath, setOptimised } from "../catalog/catalog.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { truncateLog } from "./checkpoint-log.ts";
import type { CompactionContext } from "./context.ts";
import { mergeTermIndex } from "./merge-terms.ts";
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
