import { chmodSync, closeSync, mkdirSync, openSync, statSync } from "node:fs";

const sideFiles = ["", "-wal", "-shm", "-journal"];

const othersMode = 0o077;

/** Includes the database's side files. Never opens an existing file, because closing it would drop its locks. */
export function makePrivate(path: string): void {
  try {
    closeSync(openSync(path, "wx", 0o600));
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  for (const suffix of sideFiles) tighten(path + suffix);
}

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
    // Another user's, just removed, or on a read-only file system.
    if (!["EPERM", "ENOENT", "EROFS"].includes(errorCode(error))) throw error;
  }
}

const errorCode = (thrown: unknown): string =>
  thrown instanceof Error && "code" in thrown ? String(thrown.code) : "";
