/**
 * The control store is separate from the archive, so that a copy of the archive contains no keys or
 * credentials. No transaction needs to span both: a job that runs twice returns the same IDs.
 */

import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openReadable, openWritable, refuseNewerSchema } from "./connection.ts";
import { type Database, immediateDatabase, type Parameters, toSqlite } from "./statements.ts";

export type SqliteDatabase = {
  forOperations: Database;
  get<Row>(sql: string, parameters?: Parameters): Row | undefined;
  all<Row>(sql: string, parameters?: Parameters): Row[];
  run(sql: string, parameters?: Parameters): number;
  /** SQLite may end a transaction when the disk is full. */
  inTransaction(): boolean;
  syncCommits(toDisk: boolean): void;
  /** Empties the log, with its deleted data, after the next commit that no reader blocks. */
  emptyLogSoon(): void;
  /** Call this outside a transaction. Never waits. */
  emptyLogIfDue(): void;
  close(): void;
};

const busyTimeoutMs = 5_000;

/** Errors: `newer_schema`. */
export function openStoreForWriting(path: string, migrations: readonly string[]): SqliteDatabase {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const connection = openWritable({
    path,
    migrations,
    busyTimeoutMs,
    // No page retains deleted content.
    pragmas: "PRAGMA journal_size_limit = 67108864; PRAGMA secure_delete = ON",
  });
  return databaseOn(connection);
}

/** Errors: `newer_schema`. */
export function openStoreForReading(
  path: string,
  migrations: readonly string[],
  timeoutMs = busyTimeoutMs,
): SqliteDatabase {
  const connection = openReadable(path, timeoutMs);
  try {
    refuseNewerSchema(connection, path, migrations.length);
  } catch (error) {
    connection.close();
    throw error;
  }
  return databaseOn(connection);
}

function databaseOn(connection: DatabaseSync): SqliteDatabase {
  const statements = new Map<string, StatementSync>();
  let areCommitsSynced = true;
  let isEmptyingDue = false;

  /** Not prepared, because this pragma takes effect when it is compiled. */
  function syncCommits(toDisk: boolean): void {
    if (toDisk === areCommitsSynced) return;
    connection.exec(toDisk ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
    areCommitsSynced = toDisk;
  }

  function emptyLogIfDue(): void {
    if (!isEmptyingDue) return;
    connection.exec("PRAGMA busy_timeout = 0");
    try {
      const outcome = connection.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get();
      isEmptyingDue = outcome?.busy !== 0;
    } catch {
      // The disk is full or the file is locked: retried later.
    } finally {
      connection.exec(`PRAGMA busy_timeout = ${busyTimeoutMs}`);
    }
  }

  function prepare(sql: string): StatementSync {
    let statement = statements.get(sql);
    if (statement === undefined) {
      statement = connection.prepare(toSqlite(sql));
      statements.set(sql, statement);
    }
    return statement;
  }

  const get = <Row>(sql: string, parameters: Parameters = {}) =>
    prepare(sql).get(parameters) as Row | undefined;
  const all = <Row>(sql: string, parameters: Parameters = {}) =>
    prepare(sql).all(parameters) as Row[];
  const run = (sql: string, parameters: Parameters = {}) =>
    Number(prepare(sql).run(parameters).changes);
  const emptyLogSoon = () => {
    isEmptyingDue = true;
  };

  const forOperations = immediateDatabase({ get, all, run, emptyLogSoon });

  return {
    forOperations,
    get,
    all,
    run,
    inTransaction: () => connection.isOpen && connection.isTransaction,
    syncCommits,
    emptyLogSoon,
    emptyLogIfDue,
    close: () => connection.close(),
  };
}
