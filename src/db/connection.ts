import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import { isBusy } from "./sqlite-errors.ts";

export type WritableFile = {
  path: string;
  migrations: readonly string[];
  busyTimeoutMs: number;
  /** Pragmas that have an effect only in a new file. */
  layout?: string;
  pragmas: string;
};

/** Opens a private file in WAL mode, with durable commits. Errors: `newer_schema`. */
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

/** Each read sees the latest commit and never waits for a writer. */
export function openReadable(path: string, busyTimeoutMs: number): DatabaseSync {
  return new DatabaseSync(path, { readOnly: true, timeout: busyTimeoutMs, defensive: true });
}

const timeoutMs = 10_000;
const retryDelayMs = 5;

/** Retries, because SQLite's busy timeout does not apply to this lock. Blocks the thread. */
export function useWriteAheadLog(connection: DatabaseSync): void {
  for (let waitedMs = 0; ; waitedMs += retryDelayMs) {
    try {
      connection.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL");
      return;
    } catch (error) {
      if (!isBusy(error) || waitedMs >= timeoutMs) throw error;
    }
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, retryDelayMs);
  }
}

const sideFiles = ["", "-wal", "-shm", "-journal"];

const othersMode = 0o077;

/**
 * Also covers the database's side files. Never opens an existing file, because closing it would
 * release SQLite's locks.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  for (const suffix of sideFiles) restrictPermissions(path + suffix);
}

export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  restrictPermissions(path);
}

function restrictPermissions(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & othersMode) === 0) return;
  try {
    chmodSync(path, mode & ~othersMode & 0o7777);
  } catch (error) {
    // The file belongs to another user, was just removed, or is on a read-only file system.
    if (!["EPERM", "ENOENT", "EROFS"].includes(errorCode(error))) throw error;
  }
}

const errorCode = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";

/** Safe for concurrent processes. */
function migrate(connection: DatabaseSync, path: string, migrations: readonly string[]): void {
  refuseNewerSchema(connection, path, migrations.length);
  if (schemaVersion(connection) === migrations.length) return;
  connection.exec("BEGIN IMMEDIATE");
  try {
    // Another process may have migrated since the check.
    refuseNewerSchema(connection, path, migrations.length);
    for (const sql of migrations.slice(schemaVersion(connection))) connection.exec(sql);
    connection.exec(`PRAGMA user_version = ${migrations.length}; COMMIT`);
  } catch (error) {
    if (connection.isTransaction) connection.exec("ROLLBACK");
    throw error;
  }
}

/** Errors: `newer_schema`. */
export function refuseNewerSchema(
  connection: DatabaseSync,
  path: string,
  latestVersion: number,
): void {
  const version = schemaVersion(connection);
  if (version <= latestVersion) return;
  throw new EarshotError(
    "newer_schema",
    `${path} has schema ${version}, but this version of Earshot supports at most ${latestVersion}`,
    { status: 503, hint: "use the version of Earshot that wrote it, or a later one" },
  );
}

export const schemaVersion = (connection: DatabaseSync): number =>
  Number(connection.prepare("PRAGMA user_version").get()?.user_version);
