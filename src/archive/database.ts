import type { DatabaseSync, StatementSync } from "node:sqlite";
import { openReadable, openWritable } from "../db/connection.ts";

const busyTimeoutMs = 10_000;

/**
 * Creates or migrates the database. Only the owner can read its files; commits are durable. Errors:
 * `newer_schema`.
 */
export function openForWriting(
  path: string,
  migrations: readonly string[],
  cacheKib: number,
): DatabaseSync {
  return openWritable({
    path,
    migrations,
    busyTimeoutMs,
    layout: "PRAGMA page_size = 8192",
    pragmas: `PRAGMA cache_size = -${cacheKib}`,
  });
}

/** Reads see the last commit, and never wait for a writer. */
export function openForReading(path: string, cacheKib: number): DatabaseSync {
  const database = openReadable(path, busyTimeoutMs);
  database.exec(`PRAGMA cache_size = -${cacheKib}; PRAGMA mmap_size = 0`);
  return database;
}

export function withSnapshot<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN");
  try {
    return work();
  } finally {
    endSnapshot(database);
  }
}

/** If the database is damaged, the transaction may already have ended, or its commit may fail. */
export function endSnapshot(database: DatabaseSync): void {
  for (const end of ["COMMIT", "ROLLBACK"]) {
    if (!database.isTransaction) return;
    try {
      database.exec(end);
    } catch {
      // The reads have already succeeded or failed.
    }
  }
}

export const bigIntPreparer =
  (database: DatabaseSync) =>
  (text: string): StatementSync => {
    const statement = database.prepare(text);
    statement.setReadBigInts(true);
    return statement;
  };

/** Called after the start of each write transaction, before its commit, and after a failure. */
type TransactionHooks = { begin(): void; end(): void; discard(): void };

const transactionHooks = new WeakMap<DatabaseSync, TransactionHooks>();

export function setTransactionHooks(database: DatabaseSync, hooks: TransactionHooks): void {
  transactionHooks.set(database, hooks);
}

export function inTransaction<Value>(database: DatabaseSync, work: () => Value): Value {
  database.exec("BEGIN IMMEDIATE");
  return commitAfter(database, work);
}

export function commitAfter<Value>(database: DatabaseSync, work: () => Value): Value {
  const hooks = transactionHooks.get(database);
  try {
    hooks?.begin();
    const value = work();
    hooks?.end();
    database.exec("COMMIT");
    return value;
  } catch (error) {
    hooks?.discard();
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

export function statementCache(database: DatabaseSync): (sql: string) => StatementSync {
  const statements = new Map<string, StatementSync>();
  return (sql) => {
    const cachedStatement = statements.get(sql);
    if (cachedStatement !== undefined) return cachedStatement;
    const statement = database.prepare(sql);
    statement.setReadBigInts(true);
    statement.setReturnArrays(true);
    statements.set(sql, statement);
    return statement;
  };
}
