/**
 * The control database (accounts, keys, jobs, results) and the archive are separate stores in separate files. No transaction
 * spans both, and none is needed: a job that runs twice returns the same IDs. A copy of the archive contains no keys or
 * credentials.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { migrate, refuseNewerSchema } from "./migrate.ts";
import { makePrivate } from "./private-files.ts";
import { useWriteAheadLog } from "./write-ahead-log.ts";

/**
 * An open SQLite database of the control state. Each SQL text is prepared once. Parameters are named (`:name`). The caller
 * says what shape the rows of its SQL have.
 */
export type Database = {
  get<Row>(sql: string, parameters?: Parameters): Row | undefined;
  all<Row>(sql: string, parameters?: Parameters): Row[];
  /** How many rows the statement changed. */
  run(sql: string, parameters?: Parameters): number;
  /** Whether a transaction is open. SQLite ends one by itself when a disk is full. */
  inTransaction(): boolean;
  /** Whether the commits that follow are on disk when they return. */
  syncCommits(toDisk: boolean): void;
  /** After the next commit that nobody's reading is in the way of, the write-ahead log holds nothing: what is deleted is gone. */
  emptyLogSoon(): void;
  /** Does so if it is due. Outside a transaction; waits for nobody. */
  emptyLogIfDue(): void;
  close(): void;
};

type Parameters = Readonly<Record<string, SQLInputValue>>;

const busyTimeoutMs = 5_000;

/**
 * Opens a database for writing, makes it (readable by its owner alone) when there is none, and brings its schema up to date.
 * Every commit is on disk when it returns, until the connection says otherwise. Errors: `newer_schema`.
 */
export function openForWriting(path: string, migrations: readonly string[]): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  makePrivate(path);
  const connection = new DatabaseSync(path, {
    timeout: busyTimeoutMs,
    enableForeignKeyConstraints: true,
    defensive: true,
  });
  try {
    useWriteAheadLog(connection);
    connection.exec("PRAGMA wal_autocheckpoint = 4000; PRAGMA journal_size_limit = 67108864");
    // What is deleted is overwritten: no page of the file holds it any longer.
    connection.exec("PRAGMA secure_delete = ON");
    migrate(connection, path, migrations);
  } catch (error) {
    connection.close();
    throw error;
  }
  return databaseOn(connection);
}

/** Opens a database that exists; sees the last commit and never waits for a writer. Errors: `newer_schema`. */
export function openForReading(
  path: string,
  migrations: readonly string[],
  timeoutMs = busyTimeoutMs,
): Database {
  const connection = new DatabaseSync(path, {
    readOnly: true,
    timeout: timeoutMs,
    defensive: true,
  });
  try {
    refuseNewerSchema(connection, path, migrations.length);
  } catch (error) {
    connection.close();
    throw error;
  }
  return databaseOn(connection);
}

function databaseOn(connection: DatabaseSync): Database {
  const statements = new Map<string, StatementSync>();
  let commitsSynced = true;
  let isEmptyingDue = false;

  /** Not a prepared statement: SQLite obeys this pragma when it is compiled, not when it is run. */
  function syncCommits(toDisk: boolean): void {
    if (toDisk === commitsSynced) return;
    connection.exec(toDisk ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    commitsSynced = toDisk;
  }

  function emptyLogIfDue(): void {
    if (!isEmptyingDue) return;
    connection.exec("PRAGMA busy_timeout = 0");
    try {
      const outcome = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      isEmptyingDue = outcome?.busy !== 0;
    } catch {
      // A full disk, or a lock: it stays due. What was committed stands.
    } finally {
      connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  function prepared(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(sql);
      statements.set(sql, statement);
    }
    return statement;
  }

  return {
    // The shape of a row follows from the SQL beside each call, which the compiler cannot read.
    get: <Row>(sql: string, parameters: Parameters = {}) =>
      prepared(sql).get(parameters) as Row | undefined,
    all: <Row>(sql: string, parameters: Parameters = {}) => prepared(sql).all(parameters) as Row[],
    run: (sql, parameters = {}) => Number(prepared(sql).run(parameters).changes),
    inTransaction: () => connection.isOpen && connection.isTransaction,
    syncCommits,
    emptyLogSoon: () => {
      isEmptyingDue = true;
    },
    emptyLogIfDue,
    close: () => connection.close(),
  };
}
