/**
 * The lock is an open SQLite transaction, which ends with the process; a pid file would outlive it.
 * Most command-line tools do not take it. SQLite's locks need a local disk.
 */

import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import { makePrivate } from "./connection.ts";
import { isBusy } from "./sqlite-errors.ts";

export type FileLock = { release(): void };

/**
 * Null if the lock is not free within `waitMs`; blocks the thread. Keep a reference: garbage
 * collection releases the lock.
 */
export function acquireLock(path: string, waitMs = 0): FileLock | null {
  makePrivate(path);
  const connection = new DatabaseSync(path, { timeout: waitMs });
  try {
    connection.exec("BEGIN EXCLUSIVE");
  } catch (error) {
    connection.close();
    if (isBusy(error)) return null;
    throw error;
  }
  return { release: () => connection.close() };
}

/** Errors: `folder_in_use`, which names the other process if known. */
export function lockFolder(dataDir: string, waitMs = 0): FileLock {
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  const lock = acquireLock(join(dataDir, "lock.db"), waitMs);
  if (lock === null) throw folderInUse(dataDir);
  writeHolder(dataDir);
  const release = (): void => {
    rmSync(holderPath(dataDir), { force: true });
    lock.release();
  };
  return { release };
}

const holderPath = (dataDir: string): string => join(dataDir, "lock.pid");

/** Informational, so a failed write is ignored. */
function writeHolder(dataDir: string): void {
  try {
    writeFileSync(holderPath(dataDir), `process ${process.pid} on ${hostname()}\n`, {
      mode: 0o600,
    });
  } catch {
    return;
  }
}

function holderText(dataDir: string): string {
  try {
    const [holder = ""] = readFileSync(holderPath(dataDir), "utf8").split("\n");
    return /^process \d+ on \S+$/.test(holder) ? ` (${holder})` : "";
  } catch {
    return "";
  }
}

function folderInUse(dataDir: string): EarshotError {
  return new EarshotError(
    "folder_in_use",
    `another server${holderText(dataDir)} is using ${dataDir}`,
    {
      status: 503,
      retryable: true,
      hint: "stop it, or set EARSHOT_DATA_DIR to another folder",
    },
  );
}
