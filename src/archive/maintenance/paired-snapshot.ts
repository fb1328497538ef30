import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import {
  catalogCacheKib,
  catalogPath,
  readSegments,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";

export type PairedSnapshot = {
  catalog: DatabaseSync;
  segments: readonly { entry: SegmentEntry; database: DatabaseSync }[];
};

const cacheKib = 8_000;
const maxTries = 500;
const pauseMs = 3;

/**
 * Runs `work` on a snapshot of segments and catalog, without blocking writers. During a batch, the
 * catalog may be older than the segments, as after a crash. Omits segments that no longer exist.
 * Errors: `archive_busy`.
 */
export function* onPairedSnapshot<Value>(
  folder: string,
  choose: (entry: SegmentEntry) => boolean,
  work: (snapshot: PairedSnapshot) => Generator<number, Value>,
): Generator<number, Value> {
  const databases = new Map<string, DatabaseSync>();
  const open = (path: string, kib: number): DatabaseSync => {
    const database = databases.get(path) ?? openForReading(path, kib);
    databases.set(path, database);
    return database;
  };
  const observer = openForReading(catalogPath(folder), 100);
  const selectDataVersion = observer.prepare("PRAGMA data_version");
  try {
    const catalog = open(catalogPath(folder), catalogCacheKib);
    for (let tries = 0; tries < maxTries; tries++) {
      const versionBefore = selectDataVersion.get()?.data_version;
      begin(catalog);
      const segments = readSegments(catalog)
        .filter(choose)
        .map((entry) => ({ entry, database: begin(open(segmentPath(folder, entry), cacheKib)) }));
      const versionAfter = selectDataVersion.get()?.data_version;
      if (versionAfter === versionBefore) return yield* work({ catalog, segments });
      for (const database of databases.values())
        if (database.isTransaction) database.exec("COMMIT");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, pauseMs);
    }
    throw new EarshotError("archive_busy", "the archive is being written to continuously", {
      retryable: true,
      hint: "retry later",
    });
  } finally {
    observer.close();
    for (const database of databases.values()) database.close();
  }
}

/** The snapshot begins with the first read. */
function begin(database: DatabaseSync): DatabaseSync {
  database.exec("BEGIN");
  database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get();
  return database;
}
