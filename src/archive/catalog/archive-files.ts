import { existsSync, readdirSync, renameSync, rmSync, statSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { makePrivateFolder } from "../../db/connection.ts";
import { damageMarkerPath } from "../segments/integrity.ts";
import { type SegmentEntry, segmentPath } from "./catalog.ts";

export function archiveBytes(folder: string): number {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile())
    .reduce((sum, file) => sum + fileSize(join(file.parentPath, file.name)), 0);
}

export const fileSize = (path: string): number =>
  statSync(path, { throwIfNoEntry: false })?.size ?? 0;

/**
 * For a while, holds segment files that a crash left without a catalog entry, in case the catalog
 * is the wrong one.
 */
export const orphanedFolder = (folder: string): string => join(folder, "orphaned");

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

const segmentFile = /^(\d{6,})\.(?:db(?:-wal|-shm|-journal)?|damaged)$/;

export function segmentNumbersIn(folder: string, platform: string): number[] {
  const numbers = filesIn(join(folder, platform)).map((name) => segmentFile.exec(name)?.[1]);
  return [...new Set(numbers.filter((number) => number !== undefined).map(Number))];
}

export function moveToOrphaned(folder: string, key: SegmentKey): string | null {
  const path = segmentPath(folder, key);
  // The log is moved first, because a database without its log would lose content.
  const files = [`${path}-wal`, `${path}-shm`, `${path}-journal`, path].filter(existsSync);
  rmSync(damageMarkerPath(path), { force: true });
  if (files.length === 0) return null;
  const target = freePath(folder, key);
  makePrivateFolder(dirname(target));
  for (const file of files) renameSync(file, target + file.slice(path.length));
  return target;
}

/**
 * Skips only existing databases: a log without one is from an interrupted move, which continues at
 * that path.
 */
function freePath(folder: string, { platform, sequence }: SegmentKey): string {
  const number = basename(segmentPath("", { platform, sequence }), ".db");
  for (let copy = 1; ; copy += 1) {
    const path = join(orphanedFolder(folder), `${platform}-${number}-${copy}.db`);
    if (!existsSync(path)) return path;
  }
}

type OrphanedFile = { path: string; bytes: number; sinceMs: number };

function orphanedFiles(folder: string): OrphanedFile[] {
  const orphaned = orphanedFolder(folder);
  return filesIn(orphaned)
    .flatMap((name) => {
      const path = join(orphaned, name);
      const stats = statSync(path, { throwIfNoEntry: false });
      // Renaming changes ctime, not mtime.
      return stats === undefined ? [] : [{ path, bytes: stats.size, sinceMs: stats.ctimeMs }];
    })
    .sort((a, b) => a.sinceMs - b.sinceMs);
}

export function orphanedTotals(folder: string): { files: number; bytes: number } {
  const files = orphanedFiles(folder);
  return {
    files: files.filter(({ path }) => path.endsWith(".db")).length,
    bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  };
}

export function removeOrphanedFiles(folder: string, untilMs: number, maxBytes: number): void {
  const files = orphanedFiles(folder);
  let bytes = files.reduce((sum, file) => sum + file.bytes, 0);
  for (const file of files) {
    if (file.sinceMs >= untilMs && bytes <= maxBytes) return;
    rmSync(file.path, { force: true });
    bytes -= file.bytes;
  }
}

function filesIn(path: string): string[] {
  try {
    const entries = readdirSync(path, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch {
    return [];
  }
}
