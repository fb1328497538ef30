/**
 * The control database (accounts, keys, jobs, results) and the archive are separate stores in separate files. No transaction
 * spans both, and none is needed: a job that runs twice returns the same IDs. A copy of the archive contains no keys or
 * credentials.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { openReadable, openWritable } from "./connection.ts";
import { refuseNewerSchema } from "./migrate.ts";

/** Statements are cached by SQL text; parameters are named (`:name`). The caller declares the row type. */
export type Database = {
  get<Row>(sql: string, parameters?: Parameters): Row | undefined;
  all<Row>(sql: string, parameters?: Parameters): Row[];
  /** Number of changed rows. */
  run(sql: string, parameters?: Parameters): number;
  /** SQLite may end a transaction itself when the disk is full. */
  inTransaction(): boolean;
  /** Whether commits are durable when they return. */
  syncCommits(toDisk: boolean): void;
  /** Truncates the write-ahead log after the next commit that no reader blocks, so that deleted data disappears from it. */
  emptyLogSoon(): void;
  /** Truncates the log if due. Call it outside a transaction; never waits. */
  emptyLogIfDue(): void;
  close(): void;
};

type Parameters = Readonly<Record<string, SQLInputValue>>;

const busyTimeoutMs = 5_000;

/**
 * Opens a database, creates a missing one (owner-readable only) and migrates it. Commits are durable by default. Errors:
 * `newer_schema`.
 */
export function openForWriting(path: string, migrations: readonly string[]): Database {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const connection = openWritable({
    path,
    migrations,
    busyTimeoutMs,
    // Overwrite deleted content, so that no page of the file retains it.
    pragmas: "PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON",
  });
  return databaseOn(connection);
}

/** Opens an existing database. Sees the last commit and never waits for a writer. Errors: `newer_schema`. */
export function openForReading(
  path: string,
  migrations: readonly string[],
  timeoutMs = busyTimeoutMs,
): Database {
  const connection = openReadable(path, timeoutMs);
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

  /** Not prepared: this pragma takes effect when compiled. */
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
      // Disk full or locked: retried later; commits are unaffected.
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
    // The row type follows from the SQL, which the compiler cannot check.
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
