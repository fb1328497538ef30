import { existsSync } from "node:fs";
import { mkdir, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { folderError } from "../../../db/folder-errors.ts";
import { lockFolder } from "../../../db/folder-lock.ts";
import { readStoreId, writeStoreId } from "../../../db/store-id.ts";
import { EarshotError } from "../../../lib/errors.ts";
import { moveToOrphaned } from "../../catalog/archive-files.ts";
import { archiveId } from "../../catalog/archive-id.ts";
import { catalogPath, readSegments, readUriKey, segmentPath } from "../../catalog/catalog.ts";
import { catalogDamage } from "../../catalog/checksums.ts";
import { openCatalog } from "../../catalog/open-catalog.ts";
import { catalogProblem } from "../../catalog/require-current-catalog.ts";
import { catalogMigrations } from "../../catalog/schema.ts";
import { lockCompaction } from "../../compaction/lock.ts";
import { openForWriting } from "../../database.ts";
import { syncToDisk } from "../durable-files.ts";
import { repairUris } from "../repair-uris.ts";
import { type Candidate, readCandidates, type UnusedFile } from "./candidates.ts";
import { chooseSegments, chooseUriKey } from "./choose-segments.ts";
import { fillCatalog, type RecoveredTotals } from "./fill-catalog.ts";
import { copyFormerTables, type FormerCatalog, readFormerCatalog } from "./former-catalog.ts";

export type RecoverRequest = {
  dataDir: string;
  isForced: boolean;
  retainedIngestNumbers: number;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
};

export type RecoverReport = RecoveredTotals & {
  segments: number;
  /** Unreadable files are moved next to the former catalog; the others are orphaned. */
  unused: readonly UnusedFile[];
  former: string | null;
  copiedTables: readonly string[];
};

/**
 * Rebuilds the catalog from the segments. Deleted posts stay deleted; no file is removed.
 * Catalog-only data, such as coverage and pending counts, is lost. No other process may use the
 * archive. Safe to run again. Errors: `folder_in_use`, `catalog_current`, `nothing_to_recover`,
 * `disk_full`, `not_writable`.
 */
export async function recover(request: RecoverRequest): Promise<RecoverReport> {
  const { dataDir } = request;
  const folder = join(dataDir, "archive");
  const serverLock = lockFolder(dataDir);
  try {
    if (!existsSync(folder)) throw nothingToRecover(folder);
    const compactionLock = lockCompaction(folder);
    if (compactionLock === null) throw folderInUse(folder);
    try {
      return await recoverIn(folder, request);
    } finally {
      compactionLock.release();
    }
  } catch (error) {
    throw folderError(error, folder);
  } finally {
    serverLock.release();
  }
}

async function recoverIn(folder: string, request: RecoverRequest): Promise<RecoverReport> {
  if (!request.isForced && isCurrent(folder)) throw alreadyCurrent(folder);
  const files = readCandidates(folder);
  const candidates = files.filter(isCandidate);
  const unusableFiles = files.filter((file): file is UnusedFile => !isCandidate(file));
  if (candidates.length === 0) throw nothingToRecover(folder);
  const formerCatalog = readFormerCatalog(folder);
  const segmentsUriKey = chooseUriKey(candidates, readStoreId(request.dataDir, "archive"));
  const uriKey = segmentsUriKey ?? formerCatalog.uriKey;
  const choice = chooseSegments(candidates, uriKey);
  const unused = [...unusableFiles, ...choice.unused];

  const draft = join(folder, "catalog.db.recovering");
  await removeDatabase(draft);
  const catalog = openForWriting(draft, catalogMigrations, 16_000);
  let recovered: RecoveredTotals;
  let copiedTables: string[] = [];
  try {
    if (uriKey !== null) setUriKey(catalog, uriKey);
    if (formerCatalog.uriKey !== null && formerCatalog.uriKey === uriKey)
      copiedTables = copyFormerTables(catalog, folder);
    recovered = await fillCatalog(catalog, folder, {
      ...request,
      chosen: choice.chosen,
      commitNumber: highestCommit(candidates, uriKey, formerCatalog),
    });
  } catch (error) {
    catalog.close();
    await removeDatabase(draft);
    throw error;
  }
  writeStoreId(request.dataDir, "archive", archiveId(readUriKey(catalog)));
  catalog.close();
  const formerPath = await putInPlace(folder, draft, unused);
  await finishRecovery(
    folder,
    segmentsUriKey === null && formerCatalog.uriKey === null,
    request.signal,
  );
  const segments = choice.chosen.length;
  return { ...recovered, segments, unused, former: formerPath, copiedTables };
}

function isCurrent(folder: string): boolean {
  try {
    if (!existsSync(catalogPath(folder)) || catalogProblem(folder) !== null) return false;
    const catalog = openForWriting(catalogPath(folder), catalogMigrations, 1_000);
    try {
      const { tables, structure } = catalogDamage(catalog);
      return tables.length === 0 && structure.length === 0;
    } finally {
      catalog.close();
    }
  } catch {
    return false;
  }
}

const isCandidate = (file: Candidate | UnusedFile): file is Candidate => !("reason" in file);

function setUriKey(catalog: DatabaseSync, uriKey: string): void {
  catalog.prepare("UPDATE setting SET value = ? WHERE name = 'uri_key'").run(uriKey);
}

function highestCommit(
  candidates: readonly Candidate[],
  uriKey: string | null,
  formerCatalog: FormerCatalog,
): number {
  const archiveCandidates = candidates.filter(({ identity }) => identity?.uriKey === uriKey);
  return Math.max(
    formerCatalog.uriKey === uriKey ? formerCatalog.commitNumber : 0,
    ...archiveCandidates.map(({ identity }) => identity?.lastWrittenInCommit ?? 0),
  );
}

async function putInPlace(
  folder: string,
  draft: string,
  unused: readonly UnusedFile[],
): Promise<string | null> {
  const formerFolder = freeFolder(folder);
  for (const file of unused) {
    if (file.reason === "unreadable")
      await moveDatabase(segmentPath(folder, file), segmentPath(formerFolder, file));
    else moveToOrphaned(folder, file);
  }
  const hadCatalog = existsSync(catalogPath(folder));
  await moveDatabase(catalogPath(folder), catalogPath(formerFolder));
  await rename(draft, catalogPath(folder));
  await syncToDisk(folder);
  return hadCatalog ? formerFolder : null;
}

function freeFolder(folder: string): string {
  for (let number = 1; ; number += 1) {
    const path = join(folder, `former-${number}`);
    if (!existsSync(path)) return path;
  }
}

const companionSuffixes = ["-wal", "-shm", "-journal"];

/** Moves the log first, as in `catalog/archive-files.ts`. */
async function moveDatabase(from: string, to: string): Promise<void> {
  for (const suffix of [...companionSuffixes, ""]) {
    if (!existsSync(from + suffix)) continue;
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    await rename(from + suffix, to + suffix);
  }
}

async function removeDatabase(path: string): Promise<void> {
  for (const suffix of ["", ...companionSuffixes]) await rm(path + suffix, { force: true });
}

async function finishRecovery(
  folder: string,
  isKeyLost: boolean,
  signal: AbortSignal,
): Promise<void> {
  const catalog = openCatalog(folder);
  try {
    if (!isKeyLost) return;
    for (const entry of readSegments(catalog)) {
      for (const _ of repairUris(folder, catalog, entry)) {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
    }
  } finally {
    catalog.close();
  }
}

const alreadyCurrent = (folder: string): EarshotError =>
  new EarshotError("catalog_current", `the catalog in ${folder} matches its segments`, {
    hint: "add --force to rebuild it anyway, which loses data that only the catalog has",
  });

const nothingToRecover = (folder: string): EarshotError =>
  new EarshotError("nothing_to_recover", `no segments in ${folder}`, {
    hint: "restore a backup, or set EARSHOT_DATA_DIR to another data folder",
  });

const folderInUse = (folder: string): EarshotError =>
  new EarshotError("folder_in_use", `another process is using ${folder}`, {
    status: 503,
    retryable: true,
    hint: "stop it, or wait for it to finish",
  });
