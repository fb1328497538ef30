import { existsSync } from "node:fs";
import { readdir, rename, rm, statfs } from "node:fs/promises";
import { dirname, join } from "node:path";
import { folderError } from "../../db/folder-errors.ts";
import { lockFolder } from "../../db/folder-lock.ts";
import { writeStoreId } from "../../db/store-id.ts";
import { EarshotError } from "../../lib/errors.ts";
import { archiveId } from "../catalog/archive-id.ts";
import { catalogPath, readUriKey } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { copyFile, makeFolder, syncToDisk } from "./durable-files.ts";
import { type BackupFile, type Manifest, readManifest } from "./manifest.ts";

export type RestoreRequest = {
  source: string;
  dataDir: string;
  onProgress: (doneBytes: number, totalBytes: number) => void;
  signal: AbortSignal;
};

/**
 * Requires a data folder without an archive or a running server. The archive appears atomically.
 * Errors: `backup_incomplete`, `backup_damaged`, `newer_schema`, `archive_exists`, `folder_in_use`,
 * `disk_full`, `not_writable`.
 */
export async function restore(request: RestoreRequest): Promise<Manifest> {
  const { source, dataDir } = request;
  const manifest = await readManifest(source);
  try {
    await makeFolder(dataDir);
    const lock = lockFolder(dataDir);
    try {
      await restoreInto(manifest, request);
      return manifest;
    } finally {
      lock.release();
    }
  } catch (error) {
    throw folderError(error, dataDir);
  }
}

async function restoreInto(
  manifest: Manifest,
  { source, dataDir, onProgress, signal }: RestoreRequest,
): Promise<void> {
  const archive = join(dataDir, "archive");
  await requireNoArchive(dataDir);
  const unfinishedFolder = join(dataDir, "archive.restoring");
  await rm(unfinishedFolder, { recursive: true, force: true });
  const totalBytes = manifest.files.reduce((sum, { bytes }) => sum + bytes, 0);
  await requireSpace(dataDir, totalBytes);
  try {
    let doneBytes = 0;
    for (const file of manifest.files) {
      const digest = await copyFile(
        requireFile(source, file),
        join(unfinishedFolder, file.path),
        (bytes) => {
          doneBytes += bytes;
          onProgress(doneBytes, totalBytes);
        },
        signal,
      );
      if (digest.sha256 !== file.sha256 || digest.bytes !== file.bytes)
        throw damagedBackup(source, file);
    }
    for (const { path } of manifest.files) await syncToDisk(dirname(join(unfinishedFolder, path)));
    await rename(unfinishedFolder, archive);
    recordArchiveId(dataDir, archive);
  } catch (error) {
    await rm(unfinishedFolder, { recursive: true, force: true });
    throw error;
  }
  await syncToDisk(dataDir);
}

function recordArchiveId(dataDir: string, archive: string): void {
  const catalog = openForReading(catalogPath(archive), 1_000);
  try {
    writeStoreId(dataDir, "archive", archiveId(readUriKey(catalog)));
  } finally {
    catalog.close();
  }
}

export async function hasArchive(dataDir: string): Promise<boolean> {
  const archive = join(dataDir, "archive");
  return existsSync(archive) && (await readdir(archive)).length > 0;
}

async function requireNoArchive(dataDir: string): Promise<void> {
  if (!(await hasArchive(dataDir))) return;
  const archive = join(dataDir, "archive");
  throw new EarshotError("archive_exists", `${archive} already exists`, {
    status: 409,
    hint: "move it away, or set EARSHOT_DATA_DIR to another data folder",
  });
}

async function requireSpace(dataDir: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(dataDir);
  if (bavail * bsize >= bytes) return;
  throw new EarshotError(
    "disk_full",
    `the archive needs ${bytes} bytes, but only ${bavail * bsize} are free on the disk with ${dataDir}`,
    { hint: "free some space there, or use a data folder on another disk" },
  );
}

function requireFile(source: string, { path }: BackupFile): string {
  const sourcePath = join(source, path);
  if (existsSync(sourcePath)) return sourcePath;
  throw new EarshotError("backup_damaged", `${sourcePath} is missing`, {
    hint: "use another backup: the manifest lists the file",
  });
}

const damagedBackup = (source: string, { path }: BackupFile): EarshotError =>
  new EarshotError("backup_damaged", `${join(source, path)} does not match the manifest`, {
    hint: "use another backup: the size or SHA-256 differs",
  });
