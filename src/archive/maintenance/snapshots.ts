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

type SegmentSnapshot = { entry: SegmentEntry; database: DatabaseSync };

/** The archive at one moment between two batches. */
export type ArchiveSnapshot = {
  catalog: DatabaseSync;
  segments: readonly SegmentSnapshot[];
  close(): void;
};

const cacheKib = 1_000;

/** Blocks writers only while it begins a snapshot of each file. Unlinked files stay readable. */
export function takeSnapshot(folder: string): ArchiveSnapshot {
  const databases = new Map<string, DatabaseSync>();
  const open = (path: string, kib: number): DatabaseSync => {
    const database = databases.get(path) ?? openForReading(path, kib);
    databases.set(path, database);
    return database;
  };
  const close = (): void => {
    for (const database of databases.values()) if (database.isOpen) database.close();
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

function beginReading(database: DatabaseSync): DatabaseSync {
  database.exec("BEGIN");
  database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  return database;
}
