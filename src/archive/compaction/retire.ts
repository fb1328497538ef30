import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { platforms } from "../../posts/post.ts";
import { readSegments, readUriKey, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { moveToOrphaned, segmentNumbersIn } from "../catalog/orphaned.ts";
import { rewriteInProgress, wantRewrites } from "../catalog/pending-rewrites.ts";
import { requireCurrentCatalog } from "../catalog/require-current-catalog.ts";
import { isDamage } from "../sealed/damage.ts";
import { identityIn } from "../segments/identity.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import type { CompactionContext } from "./context.ts";
import { removeSegmentFiles } from "./segment-copy.ts";
import { inLock, type Steps } from "./steps.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

/** What stands in for a commit number with a file that is no segment yet. */
export const notCommitted = -1;

/**
 * Notes a file that is no segment any more since a commit, or not yet one (`notCommitted`); within a transaction. It is
 * removed later.
 */
export function retire(
  catalog: DatabaseSync,
  { platform, sequence }: SegmentKey,
  nowMs: number,
  commitNumber: number,
): void {
  catalog
    .prepare("INSERT INTO retired(platform, sequence, since_ms, commit_number) VALUES(?, ?, ?, ?)")
    .run(platform, sequence, nowMs, commitNumber);
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
export function retiredFiles(
  catalog: DatabaseSync,
): (SegmentKey & { sinceMs: number; commitNumber: number })[] {
  return catalog
    .prepare("SELECT * FROM retired ORDER BY since_ms")
    .all()
    .map((row) => ({
      platform: row.platform as Platform,
      sequence: Number(row.sequence),
      sinceMs: Number(row.since_ms),
      commitNumber: Number(row.commit_number),
    }));
}

/**
 * Removes the files that were retired at `untilMs` or earlier, once each is seen to be what was retired; any other, and copies
 * that were never committed, are set aside as orphaned. How many. A number is forgotten with its file, but for a platform's
 * highest: no number is ever given twice, so that nobody takes one file for another.
 */
export function* removeRetired(
  { folder, catalog }: CompactionContext,
  untilMs: number,
): Steps<number> {
  const retired = retiredFiles(catalog);
  const numbers = [...readSegments(catalog), ...retired];
  const isHighest = ({ platform, sequence }: SegmentKey): boolean =>
    numbers.every((other) => other.platform !== platform || other.sequence <= sequence);
  const due = retired.filter(
    (file) =>
      file.sinceMs <= untilMs && (existsSync(segmentPath(folder, file)) || !isHighest(file)),
  );
  if (due.length === 0) return 0;
  const uriKey = readUriKey(catalog);
  for (const file of due) {
    if (isWhatWasRetired(segmentPath(folder, file), uriKey, file)) {
      removeSegmentFiles(segmentPath(folder, file));
    } else {
      moveToOrphaned(folder, file);
    }
    yield "worked";
  }
  yield* inLock(catalog, () => {
    for (const file of due) if (!isHighest(file)) reinstate(catalog, file);
  });
  return due.length;
}

/** Whether a file is the segment that a commit put others in the place of: nothing was written to it in a later one. */
function isWhatWasRetired(
  path: string,
  uriKey: string,
  { platform, sequence, commitNumber }: SegmentKey & { commitNumber: number },
): boolean {
  const identity = identityIn(path);
  if (typeof identity === "string") return false;
  return (
    identity.uriKey === uriKey &&
    identity.platform === platform &&
    identity.sequence === sequence &&
    identity.writtenIn <= commitNumber
  );
}

/**
 * Tidies up after a process that died: sets files aside that a batch began and never committed, and ends the noting of
 * changes for a copy that is no longer being made. Errors: those of a catalog that is not the present one of its segments.
 */
export function* tidyUp({ folder, catalog }: CompactionContext): Steps<void> {
  requireCurrentCatalog(folder);
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
      for (const sequence of segmentNumbersIn(folder, platform)) {
        if (!known.has(`${platform} ${sequence}`)) moveToOrphaned(folder, { platform, sequence });
      }
    }
  });
}

/** Changes to a segment are noted no more, and those noted are forgotten. */
function* endNoting(
  { folder, catalog }: Pick<CompactionContext, "folder" | "catalog">,
  entry: SegmentEntry,
): Steps<void> {
  yield* inLock(catalog, () => stopNoting({ folder, catalog }, entry));
}

/** As `endNoting`, within a transaction of the catalog; a rewrite that was wanted and has not come is wanted again. */
export function stopNoting(
  { folder, catalog }: Pick<CompactionContext, "folder" | "catalog">,
  entry: SegmentEntry,
): void {
  const { platform, sequence } = entry;
  const row = catalog
    .prepare("SELECT rewriting FROM segment WHERE platform = ? AND sequence = ?")
    .get(platform, sequence);
  if (row?.rewriting === rewriteInProgress) wantRewrites(catalog, [entry]);
  setRewriting(catalog, entry, 0);
  try {
    forgetChanged(segmentPath(folder, entry));
  } catch (error) {
    // What is left there is followed once more by the next copy, which changes nothing.
    if (!isDamage(error)) throw error;
  }
}

function forgetChanged(path: string): void {
  const segment = openSegmentFile(path, 1_000);
  try {
    segment.exec("DELETE FROM changed");
  } finally {
    segment.close();
  }
}

export function setRewriting(
  catalog: DatabaseSync,
  { platform, sequence }: SegmentKey,
  rewriting: 0 | 1 | typeof rewriteInProgress,
): void {
  catalog
    .prepare("UPDATE segment SET rewriting = ? WHERE platform = ? AND sequence = ?")
    .run(rewriting, platform, sequence);
}
