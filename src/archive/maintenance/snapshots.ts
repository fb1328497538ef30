import type { DatabaseSync } from "node:sqlite";
import {
  catalogCacheKib,
  catalogPath,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import { inTransaction, openForReading } from "../database.ts";

/** A segment as it was at one moment, open until it is closed. */
type SegmentSnapshot = { entry: SegmentEntry; database: DatabaseSync };

/** An archive as it was between two batches: catalog and segments fit together, whoever writes meanwhile. */
export type ArchiveSnapshot = {
  catalog: DatabaseSync;
  /** Those of all platforms, lowest IDs first within each. */
  segments: readonly SegmentSnapshot[];
  close(): void;
};

/** Page cache of one snapshot that is read from its beginning to its end, KiB. */
const cacheKib = 1_000;

/**
 * Takes a snapshot of a whole archive. All of its files are opened first; then writers wait for as long as it takes to look
 * once into each, which is what a snapshot begins with. Files that are unlinked later stay readable here, and while the
 * snapshot of a file is open its write-ahead log grows with what is written to it.
 */
export function takeSnapshot(folder: string): ArchiveSnapshot {
  const opened = new Map<string, DatabaseSync>();
  const open = (path: string, kib: number): DatabaseSync => {
    const database = opened.get(path) ?? openForReading(path, kib);
    opened.set(path, database);
    return database;
  };
  const close = (): void => {
    for (const database of opened.values()) if (database.isOpen) database.close();
  };

  const lock = openCatalog(folder);
  try {
    for (const entry of readSegments(lock)) open(segmentPath(folder, entry), cacheKib);
    return inTransaction(lock, () => {
      const catalog = beginReading(open(catalogPath(folder), catalogCacheKib));
      const segments = readSegments(catalog).map((entry) => ({
        entry,
        database: beginReading(open(segmentPath(folder, entry), cacheKib)),
      }));
      return { catalog, segments, close };
    });
  } catch (error) {
    close();
    throw error;
  } finally {
    lock.close();
  }
}

/** From its first look on a transaction sees one state of its database. */
function beginReading(database: DatabaseSync): DatabaseSync {
  database.exec("BEGIN");
  database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  return database;
}
