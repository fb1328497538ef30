import { DatabaseSync } from "node:sqlite";
import { migrate } from "./migrate.ts";
import { makePrivate } from "./private-files.ts";
import { useWriteAheadLog } from "./write-ahead-log.ts";

export type WritableFile = {
  path: string;
  migrations: readonly string[];
  busyTimeoutMs: number;
  /** Pragmas of a new file, run before its first page exists. */
  layout?: string;
  pragmas: string;
};

/** Readable by its owner only, in WAL mode, with durable commits. Errors: `newer_schema`. */
export function openWritable(file: WritableFile): DatabaseSync {
  const { path, migrations, busyTimeoutMs, layout, pragmas } = file;
  makePrivate(path);
  const connection = new DatabaseSync(path, { timeout: busyTimeoutMs, defensive: true });
  try {
    if (layout !== undefined) connection.exec(layout);
    useWriteAheadLog(connection);
    connection.exec(`PRAGMA wal_autocheckpoint = 4000; ${pragmas}`);
    migrate(connection, path, migrations);
  } catch (error) {
    connection.close();
    throw error;
  }
  return connection;
}

/** Sees the last commit and never waits for a writer. */
export function openReadable(path: string, busyTimeoutMs: number): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs, defensive: true });
}
