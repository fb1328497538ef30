import { DatabaseSync } from "node:sqlite";
import { useWriteAheadLog } from "../db/write-ahead-log.ts";
import { EarshotError } from "../lib/errors.ts";

/** How long a statement waits for another process of the folder, milliseconds. */
const busyTimeoutMs = 10_000;

const schemaVersion = 1;

/**
 * Opens a database of the archive for writing, makes it with `schema` when it is empty. Every commit is on disk when it
 * returns. Errors: `newer_schema` for one that a later version of Earshot has written.
 */
export function openForWriting(path: string, schema: string, cacheKib: number): DatabaseSync {
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, defensive: true });
  try {
    database.exec("PRAGMA page_size = 8192");
    useWriteAheadLog(database);
    database.exec(`PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -${cacheKib}`);
    inTransaction(database, () => makeSchema(database, path, schema));
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function makeSchema(database: DatabaseSync, path: string, schema: string): void {
  const version = Number(database.prepare("PRAGMA user_version").get()?.user_version);
  if (version > schemaVersion) {
    throw new EarshotError("newer_schema", `${path} was written by a later version of Earshot`, {
      hint: "run that version, or another data folder",
    });
  }
  if (version === schemaVersion) return;
  database.exec(schema);
  database.exec(`PRAGMA user_version = ${schemaVersion}`);
}

/** Opens a database of the archive for reading; sees the last commit and never waits for a writer. */
export function openForReading(path: string, cacheKib: number): DatabaseSync {
  const database = new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs });
  database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA mmap_size = 0`);
  return database;
}

/** Runs `work` on one snapshot: what it reads fits together, whoever writes meanwhile. */
export function onSnapshot<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN");
  try {
    return work();
  } finally {
    database.exec("COMMIT");
  }
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
