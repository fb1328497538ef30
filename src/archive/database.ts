import { DatabaseSync } from "node:sqlite";

/** How long a statement waits for another process of the folder, milliseconds. */
const busyTimeoutMs = 10_000;

/**
 * Opens a database of the archive for writing, makes it with `schema` when it is empty. Every commit is on disk when it
 * returns.
 */
export function openForWriting(path: string, schema: string): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, defensive: true });
  database.exec("PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
  database.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -32000");
  if (database.prepare("PRAGMA user_version").get()?.user_version === 0) {
    inTransaction(database, () => {
      database.exec(schema);
      database.exec("PRAGMA user_version = 1");
    });
  }
  return database;
}

/** Opens a database of the archive for reading; sees the last commit and never waits for a writer. */
export function openForReading(path: string, cacheKib: number): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA mmap_size = 0`);
  return database;
}

/** Runs `work` in one write transaction: all of it, or nothing when it throws. */
export function inTransaction<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  try {
    const value = work();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
