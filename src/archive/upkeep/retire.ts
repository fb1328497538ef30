import { existsSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { platforms } from "../../posts/post.ts";
import { readSegments, type SegmentEntry, segmentPath } from "../catalog.ts";
import { openForWriting } from "../database.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { rewritingAsWanted, wantRewrites } from "../wanted-rewrites.ts";
import type { UpkeepContext } from "./context.ts";
import { removeSegmentFiles } from "./segment-copy.ts";
import { inLock, type Steps } from "./steps.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

/** Notes a file that is no segment any more, or not yet one; within a transaction. It is removed later. */
export function retire(
  catalog: DatabaseSync,
  { platform, sequence }: SegmentKey,
  nowMs: number,
): void {
  catalog.prepare("INSERT INTO retired VALUES(?, ?, ?)").run(platform, sequence, nowMs);
}

/** Takes back that a file was noted as no segment; within a transaction. */
export function reinstate(catalog: DatabaseSync, { platform, sequence }: SegmentKey): void {
  catalog
    .prepare("DELETE FROM retired WHERE platform = ? AND sequence = ?")
    .run(platform, sequence);
}

export function removeEntry(catalog: DatabaseSync, { platform, sequence }: SegmentKey): void {
  catalog
    .prepare("DELETE FROM segment WHERE platform = ? AND sequence = ?")
    .run(platform, sequence);
}

/** Files that are no segments, those noted first first. */
export function retiredFiles(catalog: DatabaseSync): (SegmentKey & { sinceMs: number })[] {
  return catalog
    .prepare("SELECT * FROM retired ORDER BY since_ms")
    .all()
    .map((row) => ({
      platform: row.platform as Platform,
      sequence: Number(row.sequence),
      sinceMs: Number(row.since_ms),
    }));
}

/**
 * Removes the files that were retired at `untilMs` or earlier; how many. A number is forgotten with its file, but for a
 * platform's highest: no number is ever given twice, so that nobody takes one file for another.
 */
export function* removeRetired({ folder, catalog }: UpkeepContext, untilMs: number): Steps<number> {
  const retired = retiredFiles(catalog);
  const numbers = [...readSegments(catalog), ...retired];
  const isHighest = ({ platform, sequence }: SegmentKey): boolean =>
    numbers.every((other) => other.platform !== platform || other.sequence <= sequence);
  const due = retired.filter(
    (file) =>
      file.sinceMs <= untilMs && (existsSync(segmentPath(folder, file)) || !isHighest(file)),
  );
  if (due.length === 0) return 0;
  for (const file of due) {
    removeSegmentFiles(segmentPath(folder, file));
    yield "worked";
  }
  yield* inLock(catalog, () => {
    for (const file of due) if (!isHighest(file)) reinstate(catalog, file);
  });
  return due.length;
}

/** Segment files, their side files and markers of damage. */
const segmentFile = /^(\d{6,})\.(?:db(?:-wal|-shm|-journal)?|damaged)$/;

/**
 * Tidies up after a process that died: files that a batch began and never committed, and the noting of changes for a copy
 * that nobody makes any more.
 */
export function* tidyUp({ folder, catalog }: UpkeepContext): Steps<void> {
  const entries = readSegments(catalog);
  for (const entry of entries.filter(({ rewriting }) => rewriting)) {
    yield* endNoting({ folder, catalog }, entry);
    yield "worked";
  }
  // Under the lock, as a batch under way makes files before its entries can be seen.
  yield* inLock(catalog, () => {
    const known = new Set(
      [...readSegments(catalog), ...retiredFiles(catalog)].map(
        ({ platform, sequence }) => `${platform} ${sequence}`,
      ),
    );
    for (const platform of platforms) {
      const path = join(folder, platform);
      for (const name of filesIn(path)) {
        const number = segmentFile.exec(name)?.[1];
        if (number === undefined || known.has(`${platform} ${Number(number)}`)) continue;
        rmSync(join(path, name), { force: true });
      }
    }
  });
}

/** Changes to a segment are noted no more, and those noted are forgotten. */
function* endNoting(
  { folder, catalog }: Pick<UpkeepContext, "folder" | "catalog">,
  entry: SegmentEntry,
): Steps<void> {
  yield* inLock(catalog, () => stopNoting({ folder, catalog }, entry));
}

/** As `endNoting`, within a transaction of the catalog; a rewrite that was wanted and has not come is wanted again. */
export function stopNoting(
  { folder, catalog }: Pick<UpkeepContext, "folder" | "catalog">,
  entry: SegmentEntry,
): void {
  const { platform, sequence } = entry;
  const row = catalog
    .prepare("SELECT rewriting FROM segment WHERE platform = ? AND sequence = ?")
    .get(platform, sequence);
  if (row?.rewriting === rewritingAsWanted) wantRewrites(catalog, [entry]);
  setRewriting(catalog, entry, 0);
  const segment = openForWriting(segmentPath(folder, entry), segmentMigrations, 1_000);
  try {
    segment.exec("DELETE FROM changed");
  } finally {
    segment.close();
  }
}

export function setRewriting(
  catalog: DatabaseSync,
  { platform, sequence }: SegmentKey,
  rewriting: 0 | 1 | typeof rewritingAsWanted,
): void {
  catalog
    .prepare("UPDATE segment SET rewriting = ? WHERE platform = ? AND sequence = ?")
    .run(rewriting, platform, sequence);
}

function filesIn(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}
