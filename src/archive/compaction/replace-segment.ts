/**
 * Copying takes half a minute per million posts, but batches and searches can wait only for
 * milliseconds.
 */

import { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import { lastId, type TimeSkew } from "../../posts/ids.ts";
import {
  addSegmentEntry,
  currentAnalyzer,
  nextSequence,
  readSegments,
  readSetting,
  readUriKey,
  type SegmentEntry,
  segmentPath,
  setOptimised,
} from "../catalog/catalog.ts";
import { allocateCommitNumber } from "../catalog/commit-number.ts";
import { openMisplacedPosts } from "../catalog/misplaced.ts";
import {
  addPendingRewrites,
  endSalvage,
  isSalvagePending,
  requestSalvage,
  rewriteInProgress,
  takePendingRewrite,
} from "../catalog/pending-tasks.ts";
import { commitAfter } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { segmentMigrations } from "../segments/schema.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { deletionsCopier } from "../segments/segment-writer.ts";
import { catchUp, finishCatchUp } from "./catch-up.ts";
import type { CompactionContext } from "./context.ts";
import {
  notCommitted,
  reinstate,
  removeEntry,
  retire,
  setRewriting,
  stopRecording,
} from "./retire.ts";
import { createSegmentCopy, removeSegmentFiles } from "./segment-copy.ts";
import { type Part, type SegmentRewrite, startRewrite } from "./segment-rewrite.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

export type Replacement = {
  cuts: readonly bigint[];
  /** Null keeps every post. */
  shouldKeep: ((record: string) => boolean) | null;
  /**
   * `current`: copied terms, which require the current analyzer. `any`: terms built from the rows.
   */
  terms: "current" | "any";
  fill(rewrite: SegmentRewrite, start: CopyStart): CompactionSteps<void>;
  /** Renumbers posts of an earlier release (`id-allocator.ts`). */
  shouldRenumber?: boolean;
  /** Only the data that `fill` reads must be readable. */
  isSalvage?: boolean;
  /** If false, the old file is removed. */
  shouldOrphanOld?(): boolean;
  /** Runs in the transaction that replaces the segment. */
  onSwap?(): void;
};

export type CopyStart = {
  newFiles: readonly { sequence: number; low: bigint }[];
  ingestOrderFrom: number;
  skew: TimeSkew;
};

export type RewriteReport = {
  isDone: boolean;
  posts: number;
  dropped: number;
};

const maxChangesUnderLock = 500;
const maxSwaps = 20;
const oldCacheKib = 8_000;

/**
 * Replaces a segment while batches are written and readers read. Requires the compaction lock.
 *
 * 1. Under the catalog lock, the segment is marked: batches then list the posts that they change.
 *    The new sequence numbers are reserved as retired files, so that their files are orphaned
 *    after a crash.
 * 2. The copies are filled in short steps and flushed. They may be newer than the mark.
 * 3. The listed changes are applied in rounds until few remain.
 * 4. Under the catalog lock, the rest are applied and the copies committed. One catalog commit
 *    replaces the entry and retires the old file, which readers use until they read the catalog
 *    again.
 *
 * A crash or an error before that commit leaves the segment unchanged; after it, the copies are
 * complete. Errors: those of SQLite, `segment_missing`, `archive_damaged`, and `segment_busy` if
 * changes outpace the copying.
 */
export function* replaceSegment(
  context: CompactionContext,
  entry: SegmentEntry,
  replacement: Replacement,
): CompactionSteps<RewriteReport> {
  const { folder, catalog } = context;
  const start = yield* inLock(catalog, () => begin(context, entry, replacement));
  if (start === null) return { isDone: false, posts: 0, dropped: 0 };
  const parts: Part[] = [];
  let old: DatabaseSync | null = null;
  let isDone = false;
  try {
    const path = segmentPath(folder, entry);
    old = replacement.isSalvage ? openDamagedSegment(context, path) : openOldSegment(path);
    // After a crash, the copy starts over.
    old.exec("PRAGMA synchronous = NORMAL");
    for (const { sequence, low } of start.newFiles) {
      const path = segmentPath(folder, { platform: entry.platform, sequence });
      parts.push({ sequence, low, copy: createSegmentCopy(path, entry.platform) });
    }
    const rewrite = startRewrite(context, entry, old, parts, replacement);
    yield* replacement.fill(rewrite, start);
    const copyDeletions = copierFrom(old, replacement.isSalvage === true);
    parts[0]?.copy.takeDeletions(copyDeletions);
    yield "worked";
    for (let tries = 0; !isDone; tries += 1) {
      if (tries >= maxSwaps) throw changesTooFast(entry);
      yield* catchUp(rewrite);
      isDone = yield* inLock(catalog, () => {
        const shouldOrphan = replacement.shouldOrphanOld?.() ?? false;
        const isSwapped = swap(context, entry, rewrite, { shouldOrphan, copyDeletions });
        if (isSwapped) replacement.onSwap?.();
        return isSwapped;
      });
    }
    const posts = parts.reduce((sum, { copy }) => sum + copy.postTotals().posts, 0);
    return { isDone, posts, dropped: Math.max((segmentPosts(old) ?? posts) - posts, 0) };
  } finally {
    for (const { copy } of parts) copy.close();
    old?.close();
    if (!isDone) abandonCopies(context, entry, start.newFiles);
  }
}

const openOldSegment = (path: string): DatabaseSync => openSegmentFile(path, oldCacheKib);

/**
 * Changes are listed in the transaction that writes them, so a segment in which none can be listed
 * has none: an empty segment in memory takes its place.
 */
function openDamagedSegment({ catalog }: CompactionContext, path: string): DatabaseSync {
  let old: DatabaseSync | null = null;
  try {
    old = openOldSegment(path);
    old.prepare("SELECT id FROM changed LIMIT 1").get();
    const countBatch = old.prepare("SELECT value FROM setting WHERE name = 'counted'").get();
    if (typeof countBatch?.value === "number") return old;
  } catch (error) {
    if (!isDamage(error)) throw error;
  }
  old?.close();
  const empty = new DatabaseSync(":memory:");
  for (const migration of segmentMigrations) empty.exec(migration);
  // Prevents counts from being added twice.
  empty
    .prepare("UPDATE setting SET value = ? WHERE name = 'counted'")
    .run(Number(readSetting(catalog, "count_step")));
  return empty;
}

function segmentPosts(segment: DatabaseSync): number | null {
  try {
    return Number(segment.prepare("SELECT value FROM setting WHERE name = 'posts'").get()?.value);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

function begin(
  context: CompactionContext,
  entry: SegmentEntry,
  { cuts, terms }: Replacement,
): CopyStart | null {
  const { catalog, clock } = context;
  const current = currentEntry(catalog, entry);
  if (current === null) return null;
  if (terms === "current" && current.analyzer !== currentAnalyzer) return null;
  stopRecording(context, entry);
  // This copy performs the pending rewrite, unless it copies the terms. Later requests need another
  // copy.
  const isRequested = terms === "any" && takePendingRewrite(catalog, entry);
  setRewriting(catalog, entry, isRequested ? rewriteInProgress : 1);
  const { platform } = entry;
  const newFiles = [entry.low, ...cuts].map((low) => {
    const sequence = nextSequence(catalog, platform);
    retire(catalog, { platform, sequence }, clock.now(), notCommitted);
    return { sequence, low };
  });
  return {
    newFiles,
    ingestOrderFrom: Number(readSetting(catalog, "ingest_order_from")),
    skew: current.skew,
  };
}

type CopyDeletions = (to: DatabaseSync) => void;

function copierFrom(old: DatabaseSync, isSalvage: boolean): CopyDeletions {
  const copy = deletionsCopier(old);
  if (!isSalvage) return copy;
  return (to) => {
    try {
      copy(to);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
  };
}

function currentEntry(catalog: DatabaseSync, entry: SegmentEntry): SegmentEntry | null {
  const current = readSegments(catalog).find(
    ({ platform, sequence }) => platform === entry.platform && sequence === entry.sequence,
  );
  return current ?? null;
}

function swap(
  { catalog, clock }: CompactionContext,
  entry: SegmentEntry,
  rewrite: SegmentRewrite,
  { shouldOrphan, copyDeletions }: { shouldOrphan: boolean; copyDeletions: CopyDeletions },
): boolean {
  const current = currentEntry(catalog, entry);
  if (current === null) throw new Error("the segment no longer exists");
  if (!finishCatchUp(rewrite, maxChangesUnderLock)) return false;
  const commit = allocateCommitNumber(catalog);
  rewrite.parts[0]?.copy.takeDeletions(copyDeletions);
  identifyParts(catalog, entry, current, rewrite, commit);
  const isRequestedAgain = takePendingRewrite(catalog, entry);
  const isSalvageRequested = isSalvagePending(catalog, entry);
  endSalvage(catalog, entry);
  removeEntry(catalog, entry);
  // A file not retired by a commit is orphaned.
  retire(catalog, entry, clock.now(), shouldOrphan ? notCommitted : commit);
  for (const { sequence, low, copy } of rewrite.parts) {
    const { platform } = entry;
    reinstate(catalog, { platform, sequence });
    addSegmentEntry(catalog, {
      platform,
      sequence,
      low: lowOf(low, entry, current),
      skew: copy.skew(),
      lastWrittenInCommit: commit,
      numbering: rewrite.numbering,
    });
    const next = rewrite.parts.find((part) => part.low > low);
    // The newest segment is merged again later.
    const isNewest = next === undefined && current.high === lastId;
    if (!isNewest) setOptimised(catalog, { platform, sequence });
    if (isRequestedAgain && isSalvageRequested) requestSalvage(catalog, { platform, sequence });
    else if (isRequestedAgain) addPendingRewrites(catalog, [{ platform, sequence }]);
  }
  const misplaced = openMisplacedPosts(catalog);
  for (const [id, hash] of rewrite.droppedMisplaced) misplaced.remove(entry.platform, hash, id);
  return true;
}

/** During the copying, the segment may have taken over the IDs of a removed one. */
const lowOf = (low: bigint, entry: SegmentEntry, current: SegmentEntry): bigint =>
  low === entry.low ? current.low : low;

function identifyParts(
  catalog: DatabaseSync,
  entry: SegmentEntry,
  current: SegmentEntry,
  { parts }: SegmentRewrite,
  commit: number,
): void {
  const uriKey = readUriKey(catalog);
  const { platform } = current;
  for (const { sequence, low, copy } of parts) {
    copy.identify({
      uriKey,
      platform,
      sequence,
      low: lowOf(low, entry, current),
      createdInCommit: commit,
      lastWrittenInCommit: commit,
      replaces: current.sequence,
    });
  }
}

/** Leaves the segment unchanged; `cleanUpAfterCrash` repeats what fails here. */
function abandonCopies(
  context: CompactionContext,
  entry: SegmentEntry,
  newFiles: readonly { sequence: number }[],
): void {
  const { folder, catalog } = context;
  const { platform } = entry;
  try {
    if (currentEntry(catalog, entry) === null) return;
    for (const { sequence } of newFiles) {
      removeSegmentFiles(segmentPath(folder, { platform, sequence }));
    }
    catalog.exec("PRAGMA busy_timeout = 200; BEGIN IMMEDIATE");
    commitAfter(catalog, () => {
      stopRecording(context, entry);
      for (const { sequence } of newFiles) reinstate(catalog, { platform, sequence });
    });
  } catch {
    if (catalog.isTransaction) catalog.exec("ROLLBACK");
  }
}

const changesTooFast = ({ platform, sequence }: SegmentEntry): EarshotError =>
  new EarshotError(
    "segment_busy",
    `segment ${platform}/${sequence} changes faster than it can be copied`,
    { status: 503, retryable: true, hint: "retry when fewer posts are being written" },
  );
