import { existsSync } from "node:fs";
import { open, readdir, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { backup, type DatabaseSync } from "node:sqlite";
import { folderError } from "../../db/folder-errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { platforms } from "../../posts/post.ts";
import { catalogPath, segmentPath } from "../catalog/catalog.ts";
import { type Digest, fileDigest, makeFolder, syncToDisk, writeDurably } from "./durable-files.ts";
import {
  type BackupFile,
  type Manifest,
  makeManifest,
  manifestPath,
  manifestText,
} from "./manifest.ts";
import { type ArchiveSnapshot, takeSnapshot } from "./snapshots.ts";

export type BackupRequest = {
  folder: string;
  target: string;
  clock: Pick<Clock, "now">;
  onProgress: (doneBytes: number, totalBytes: number) => void;
  signal: AbortSignal;
};

const pagesPerStep = 512;

/**
 * Copies a snapshot of an archive without stopping its writers. The newest segments are copied
 * first, because the log of a file grows until its snapshot ends. Errors: `backup_exists`,
 * `disk_full`, `not_writable`.
 */
export async function backUp(request: BackupRequest): Promise<Manifest> {
  const { folder, target } = request;
  try {
    await prepareTarget(target);
    const takenAtMs = request.clock.now();
    const snapshot = openSnapshot(folder);
    try {
      return await copySnapshot(snapshot, takenAtMs, request);
    } finally {
      snapshot.close();
    }
  } catch (error) {
    throw folderError(error, target);
  }
}

function openSnapshot(folder: string): ArchiveSnapshot {
  try {
    return takeSnapshot(folder);
  } catch (error) {
    throw folderError(error, folder);
  }
}

const unfinishedMarkerPath = (target: string): string => join(target, "unfinished");

async function prepareTarget(target: string): Promise<void> {
  await makeFolder(target);
  if (existsSync(manifestPath(target))) throw backupExists(`${target} already contains a backup`);
  if (existsSync(unfinishedMarkerPath(target))) {
    for (const name of ["catalog.db", ...platforms]) {
      await rm(join(target, name), { recursive: true, force: true });
    }
  } else if ((await readdir(target)).length > 0) {
    throw backupExists(`${target} is not empty`);
  }
  await writeDurably(unfinishedMarkerPath(target), "");
}

const backupExists = (message: string): EarshotError =>
  new EarshotError("backup_exists", message, {
    status: 409,
    hint: "use a new folder for each backup",
  });

type SourceFile = { path: string; database: DatabaseSync; bytes: number };

async function copySnapshot(
  snapshot: ArchiveSnapshot,
  takenAtMs: number,
  { target, onProgress, signal }: BackupRequest,
): Promise<Manifest> {
  const posts = snapshot.segments.reduce((sum, { database }) => sum + postsIn(database), 0);
  const sourceFiles = listSourceFiles(snapshot);
  const copyBytes = sourceFiles.reduce((sum, { bytes }) => sum + bytes, 0);
  await requireSpace(target, copyBytes);
  let doneBytes = 0;
  const files: BackupFile[] = [];
  for (const sourceFile of sourceFiles) {
    const targetPath = join(target, sourceFile.path);
    await copyDatabase(sourceFile.database, targetPath, (share) => {
      signal.throwIfAborted();
      onProgress(doneBytes + share * sourceFile.bytes, 2 * copyBytes);
    });
    sourceFile.database.close();
    doneBytes += sourceFile.bytes;
    const digest: Digest = await fileDigest(
      targetPath,
      (bytes) => {
        doneBytes += bytes;
        onProgress(doneBytes, 2 * copyBytes);
      },
      signal,
    );
    files.push({ path: sourceFile.path, ...digest });
  }
  for (const path of new Set(files.map(({ path }) => dirname(join(target, path))))) {
    await syncToDisk(path);
  }
  const manifest = makeManifest(takenAtMs, posts, files);
  await writeDurably(manifestPath(target), manifestText(manifest));
  await rm(unfinishedMarkerPath(target));
  return manifest;
}

function listSourceFiles({ catalog, segments }: ArchiveSnapshot): SourceFile[] {
  const newestFirst = segments.toSorted((a, b) =>
    a.entry.high === b.entry.high ? 0 : a.entry.high > b.entry.high ? -1 : 1,
  );
  return [
    { path: catalogPath(""), database: catalog, bytes: databaseBytes(catalog) },
    ...newestFirst.map(({ entry, database }) => ({
      path: segmentPath("", entry),
      database,
      bytes: databaseBytes(database),
    })),
  ];
}

const readNumber = (database: DatabaseSync, sql: string): number =>
  Number(Object.values(database.prepare(sql).get() ?? {})[0]);

const databaseBytes = (database: DatabaseSync): number =>
  readNumber(database, "PRAGMA page_count") * readNumber(database, "PRAGMA page_size");

const postsIn = (database: DatabaseSync): number =>
  readNumber(database, "SELECT value FROM setting WHERE name = 'posts'");

async function requireSpace(target: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(target);
  const freeBytes = bavail * bsize;
  if (freeBytes >= bytes) return;
  throw new EarshotError(
    "disk_full",
    `the backup needs ${bytes} bytes, but only ${freeBytes} are free on the disk with ${target}`,
    { hint: "free space there, or use a folder on another disk" },
  );
}

async function copyDatabase(
  database: DatabaseSync,
  targetPath: string,
  onShare: (share: number) => void,
): Promise<void> {
  await makeFolder(dirname(targetPath));
  await (await open(targetPath, "wx", 0o600)).close();
  await backup(database, targetPath, {
    rate: pagesPerStep,
    progress: ({ totalPages, remainingPages }) => onShare(1 - remainingPages / totalPages),
  });
  await syncToDisk(targetPath);
}
