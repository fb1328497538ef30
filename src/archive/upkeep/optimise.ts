import { DatabaseSync } from "node:sqlite";
import { type SegmentEntry, segmentPath, setOptimised } from "../catalog.ts";
import { openForWriting } from "../database.ts";
import { segmentMigrations } from "../segments/schema.ts";
import type { UpkeepContext } from "./context.ts";
import { mergeTerms } from "./merge-terms.ts";
import { inLock, type Steps } from "./steps.ts";

const cacheKib = 8_000;

/** Merges the index of a quiet segment into one piece, in steps between which it is read and written. */
export function* optimiseSegment(
  { folder, catalog }: UpkeepContext,
  entry: SegmentEntry,
): Steps<void> {
  const path = segmentPath(folder, entry);
  const segment = openForWriting(path, segmentMigrations, cacheKib);
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

/**
 * Moves what stands in a write-ahead log into its database and empties the file; false when a reader or a writer is in the
 * way. Nobody waits for it but for the emptying.
 */
export function shortenLog(path: string): boolean {
  const database = new DatabaseSync(path, { timeout: 0 });
  try {
    database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    const outcome = database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
    return outcome?.busy === 0;
  } finally {
    database.close();
  }
}
