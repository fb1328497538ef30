import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

/** A database and what SQLite keeps beside it. */
const sideFiles = ["", "-wal", "-shm", "-journal"];

/** Permissions of anyone but the owner. */
const othersMode = 0o077;

/**
 * Creates a database file readable by its owner alone, and takes the permissions of others from one that exists, and from its
 * side files. SQLite gives new side files the mode of the database. Never opens an existing file: closing it would drop its
 * locks.
 */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  for (const suffix of sideFiles) tighten(path + suffix);
}

/** Creates a folder for its owner alone with its parents, and takes the permissions of others from one that exists. */
export function makePrivateFolder(path: string): void {
  mkdirSync(path, { recursive: true, mode: 0o700 });
  tighten(path);
}

function tighten(path: string): void {
  const mode = statSync(path, { throwIfNoEntry: false })?.mode ?? 0;
  if ((mode & othersMode) === 0) return;
  try {
    chmodSync(path, mode & ~othersMode & 0o7777);
  } catch (error) {
    // Another user's file, one that was removed in between, or a disk that is mounted read-only.
    if (!["EPERM", "ENOENT", "EROFS"].includes(codeOf(error))) throw error;
  }
}

const codeOf = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
