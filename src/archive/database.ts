import { DatabaseSync, type StatementSync } from "node:sqlite";
import { makePrivate } from "../db/private-files.ts";
import { useWriteAheadLog } from "../db/write-ahead-log.ts";
import { EarshotError } from "../lib/errors.ts";

/** How long a statement waits for another process of the folder, milliseconds. */
const busyTimeoutMs = 10_000;

/**
 * Opens a database of the archive for writing; makes it, or brings it up to date, by the migrations that it has not had. Its
 * files are readable by their owner alone. Every commit is on disk when it returns. Errors: `newer_schema` for one that a later version of Earshot has written.
 */
export function openForWriting(
  path: string,
  migrations: readonly string[],
  cacheKib: number,
): DatabaseSync {
  makePrivate(path);
  const database = new DatabaseSync(path, { timeout: busyTimeoutMs, defensive: true });
  try {
    database.exec("PRAGMA page_size = 8192");
    useWriteAheadLog(database);
    database.exec(`PRAGMA wal_autocheckpoint = 4000; PRAGMA cache_size = -${cacheKib}`);
    if (versionOf(database) !== migrations.length) {
      inTransaction(database, () => migrate(database, path, migrations));
    }
  } catch (error) {
    database.close();
    throw error;
  }
  return database;
}

function migrate(database: DatabaseSync, path: string, migrations: readonly string[]): void {
  const version = versionOf(database);
  if (version > migrations.length) {
    throw new EarshotError("newer_schema", `${path} was written by a later version of Earshot`, {
      hint: "run that version, or another data folder",
    });
  }
  for (const migration of migrations.slice(version)) database.exec(migration);
  database.exec(`PRAGMA user_version = ${migrations.length}`);
}

/** How many migrations a database has had. */
export const versionOf = (database: DatabaseSync): number =>
  Number(database.prepare("PRAGMA user_version").get()?.user_version);

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
    endSnapshot(database);
  }
}

/** Ends a transaction that only read. One that met damage may have ended, or not be committed. */
export function endSnapshot(database: DatabaseSync): void {
  for (const end of ["COMMIT", "ROLLBACK"]) {
    if (!database.isTransaction) return;
    try {
      database.exec(end);
    } catch {
      // What was read has been answered from, or has failed by itself.
    }
  }
}

/** Prepares statements whose numbers come as bigints: IDs are larger than what a number holds. */
export const preparesBigInts =
  (database: DatabaseSync) =>
  (text: string): StatementSync => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  };

/** Runs after the beginning of each write transaction, before its commit, and when it fails. */
type BesideTransactions = { begin(): void; end(): void; discard(): void };

const besideTransactions = new WeakMap<DatabaseSync, BesideTransactions>();

/** Has every `inTransaction` and `committed` of a connection do something beside its work. */
export function onTransactions(database: DatabaseSync, beside: BesideTransactions): void {
  besideTransactions.set(database, beside);
}

/** Runs `work` in one write transaction: all of it, or nothing when it throws. */
export function inTransaction<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  return committed(database, work);
}

/** Runs `work` in the write transaction that has just begun, and ends it: all of it, or nothing when it throws. */
export function committed<Value>(database: DatabaseSync, work: () => Value): Value {
  const beside = besideTransactions.get(database);
  try {
    beside?.begin();
    const value = work();
    beside?.end();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    beside?.discard();
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}
