import { type SegmentEntry, segmentPath, setOptimised } from "../catalog/catalog.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { shortenLog } from "./checkpoint-log.ts";
import type { CompactionContext } from "./context.ts";
import { mergeTerms } from "./merge-terms.ts";
import { inLock, type Steps } from "./steps.ts";

const cacheKib = 8_000;

/** Merges the index of a quiet segment into one piece, in steps between which it is read and written. */
export function* optimiseSegment(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): Steps<void> {
  const path = segmentPath(folder, entry);
  const segment = openSegmentFile(path, cacheKib);
  try {
    // Little is moved into the file at a time.
    segment.exec("PRAGMA wal_autocheckpoint = 1000; PRAGMA synchronous = NORMAL");
    yield* mergeTerms(segment);
  } finally {
    segment.close();
  }
  shortenLog(path);
  yield "worked";
  yield* inLock(catalog, () => setOptimised(catalog, entry));
}
