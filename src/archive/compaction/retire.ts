import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import { platforms } from "../../posts/post.ts";
import { moveToOrphaned, segmentNumbersIn } from "../catalog/archive-files.ts";
import { readSegments, readUriKey, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { addPendingRewrites, rewriteInProgress } from "../catalog/pending-tasks.ts";
import { requireCurrentCatalog } from "../catalog/require-current-catalog.ts";
import { isDamage } from "../sealed/damage.ts";
import { identityIn, openSegmentFile } from "../segments/segment-file.ts";
import type { CompactionContext } from "./context.ts";
import { removeSegmentFiles } from "./segment-copy.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

export const notCommitted = -1;

/**
 * Marks a file for removal: one that a commit has replaced, or an uncommitted one. Requires a
 * transaction.
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

/** Requires a transaction. */
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
 * Removes files that were retired by `untilMs`, after verifying the identity of each. Orphans
 * uncommitted copies and files that fail the verification. A platform's highest sequence number
 * stays listed, because numbers are never reused.
 */
export function* removeRetiredFiles(
  { folder, catalog }: CompactionContext,
  untilMs: number,
): CompactionSteps<number> {
  const retired = retiredFiles(catalog);
  const knownFiles = [...readSegments(catalog), ...retired];
  const isHighest = ({ platform, sequence }: SegmentKey): boolean =>
    knownFiles.every((other) => other.platform !== platform || other.sequence <= sequence);
  const dueFiles = retired.filter(
    (file) =>
      file.sinceMs <= untilMs && (existsSync(segmentPath(folder, file)) || !isHighest(file)),
  );
  if (dueFiles.length === 0) return 0;
  const uriKey = readUriKey(catalog);
  for (const file of dueFiles) {
    if (isRetiredFile(segmentPath(folder, file), uriKey, file)) {
      removeSegmentFiles(segmentPath(folder, file));
    } else {
      moveToOrphaned(folder, file);
    }
    yield "worked";
  }
  yield* inLock(catalog, () => {
    for (const file of dueFiles) if (!isHighest(file)) reinstate(catalog, file);
  });
  return dueFiles.length;
}

function isRetiredFile(
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
    identity.lastWrittenInCommit <= commitNumber
  );
}

/**
 * Orphans unlisted files, and stops listing changes for abandoned copies. Errors: those of
 * `requireCurrentCatalog`.
 */
export function* cleanUpAfterCrash({ folder, catalog }: CompactionContext): CompactionSteps<void> {
  requireCurrentCatalog(folder);
  const entries = readSegments(catalog);
  for (const entry of entries.filter(({ rewriting }) => rewriting)) {
    yield* endRecording({ folder, catalog }, entry);
    yield "worked";
  }
  // Under the lock, no batch is running: batches create files before their entries are visible.
  yield* inLock(catalog, () => {
    const knownFiles = new Set(
      [...readSegments(catalog), ...retiredFiles(catalog)].map(
        ({ platform, sequence }) => `${platform} ${sequence}`,
      ),
    );
    for (const platform of platforms) {
      for (const sequence of segmentNumbersIn(folder, platform)) {
        if (!knownFiles.has(`${platform} ${sequence}`))
          moveToOrphaned(folder, { platform, sequence });
      }
    }
  });
}

function* endRecording(
  { folder, catalog }: Pick<CompactionContext, "folder" | "catalog">,
  entry: SegmentEntry,
): CompactionSteps<void> {
  yield* inLock(catalog, () => stopRecording({ folder, catalog }, entry));
}

/** Stops listing changes, and requests an unfinished rewrite again. Requires a transaction. */
export function stopRecording(
  { folder, catalog }: Pick<CompactionContext, "folder" | "catalog">,
  entry: SegmentEntry,
): void {
  const { platform, sequence } = entry;
  const row = catalog
    .prepare("SELECT rewriting FROM segment WHERE platform = ? AND sequence = ?")
    .get(platform, sequence);
  if (row?.rewriting === rewriteInProgress) addPendingRewrites(catalog, [entry]);
  setRewriting(catalog, entry, 0);
  try {
    deleteChanged(segmentPath(folder, entry));
  } catch (error) {
    // The next copy applies the remaining changes again, which has no effect.
    if (!isDamage(error)) throw error;
  }
}

function deleteChanged(path: string): void {
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
