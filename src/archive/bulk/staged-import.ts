/**
 * An FTS5 index would take a third of an import's CPU time, and sealing would read it back. Rows
 * and index are committed together, because posts without an index would not be found.
 */

import type { FileLock } from "../../db/folder-lock.ts";
import { lastId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { ImportBatch, WriteReport } from "../archive.ts";
import {
  addCoverage,
  addHandles,
  addSegmentEntry,
  currentAnalyzer,
  currentNumbering,
  nextSequence,
  putCheckpoint,
  putSetting,
  readSetting,
  type SegmentEntry,
  segmentPath,
  setOptimised,
} from "../catalog/catalog.ts";
import { withoutExpired } from "../catalog/removed-posts.ts";
import { lockCompaction } from "../compaction/lock.ts";
import { notCommitted, reinstate, removeEntry, retire } from "../compaction/retire.ts";
import { removeSegmentFiles } from "../compaction/segment-copy.ts";
import { owner } from "../write/placement.ts";
import { latestChanges, type PreparedChanges } from "../write/prepare.ts";
import type { WriteContext } from "../write/write-context.ts";
import {
  addAuthorsWithoutHandle,
  applyChange,
  assignPosts,
  ensureSegmentEntries,
  inWriteOrder,
  publish,
  writeSegments,
} from "../write/write-posts.ts";
import { type BatchSpool, createBatchSpool } from "./batch-spool.ts";
import { createStagedSegment } from "./staged-segment.ts";

export type StagedImportContext = {
  context: WriteContext;
  folder: string;
  segmentPosts: number;
  now(): number;
  /** Runs `work` in a transaction, under the catalog lock. */
  withLock<Value>(work: () => Value): Value;
};

/**
 * Rows go to a file that is not a segment yet, and terms to memory. `commit` builds the sealed
 * index and, in one catalog commit, replaces the platform's empty newest segment.
 *
 * No other process may write: this one has the compaction lock, and a catalog commit by another
 * connection (`conflict`) aborts the import. Spooled batches are then written as usual.
 */
export type StagedImport = {
  platform: Platform;
  spool: BatchSpool;
  stage(batch: ImportBatch, preparedChanges: PreparedChanges): WriteReport | "conflict";
  posts(): number;
  isFull(): boolean;
  commit(isFull: boolean): boolean;
  abandon(): void;
};

/**
 * Null if the platform's newest segment is outdated or not empty, posts may need moderation, or
 * another process is running compaction.
 */
export function beginStagedImport(
  { context, folder, segmentPosts, now, withLock }: StagedImportContext,
  platform: Platform,
): StagedImport | null {
  const { catalog, writers, accounts, labels, commit, uriKey } = context;
  const start = withLock(begin);
  if (start === null) return null;
  const { lock, sequence, version } = start;
  const path = segmentPath(folder, { platform, sequence });
  const stagedSegment = createStagedSegment(path, platform, uriKey);
  const spool = createBatchSpool(`${path}-import`);
  const checkpoints = new Map<string, string>();
  const coverage: ImportBatch["coverage"][number][] = [];

  function begin(): { lock: FileLock; sequence: number; version: number } | null {
    if (accounts.hasAny(platform) || labels.hasAny(platform)) return null;
    const newestEntry = newestOf(ensureSegmentEntries(context, platform));
    const isCurrent =
      newestEntry.analyzer === currentAnalyzer && newestEntry.numbering === currentNumbering;
    if (!isCurrent || newestEntry.rewriting || writers.openWriter(newestEntry).posts() > 0)
      return null;
    const lock = lockCompaction(folder);
    if (lock === null) return null;
    const sequence = nextSequence(catalog, platform);
    retire(catalog, { platform, sequence }, now(), notCommitted);
    return { lock, sequence, version: dataVersion() };
  }

  function dataVersion(): number {
    return Number(catalog.prepare("PRAGMA data_version").get()?.data_version);
  }

  function tryStage(preparedChanges: PreparedChanges): WriteReport | "conflict" | null {
    if (dataVersion() !== version) return "conflict";
    const { changes, report } = latestChanges(preparedChanges.changes);
    const entries = writers.entries(platform);
    const newestEntry = newestOf(entries);
    const openWriter = (entry: SegmentEntry) =>
      entry.sequence === newestEntry.sequence ? stagedSegment.writer : writers.openWriter(entry);
    const positionedChanges = assignPosts(context, platform, changes, { report, openWriter });
    if (publish(context, platform, positionedChanges)) return null;
    addAuthorsWithoutHandle(context, positionedChanges);
    const isInSegment = ({ id }: { id: bigint }): boolean => id >= newestEntry.low;
    const olderChanges = positionedChanges.filter((change) => !isInSegment(change));
    if (olderChanges.length > 0) {
      const ingestNumbers = { last: Number(readSetting(catalog, "ingest_number")) };
      writeSegments(context, platform, olderChanges, segmentPosts, ingestNumbers);
      putSetting(catalog, "ingest_number", ingestNumbers.last);
    }
    for (const change of inWriteOrder(positionedChanges.filter(isInSegment))) {
      applyChange(context, stagedSegment.writer, platform, change, { last: 0 });
    }
    addHandles(catalog, preparedChanges.handles);
    return report;
  }

  function stage(batch: ImportBatch, preparedChanges: PreparedChanges): WriteReport | "conflict" {
    for (;;) {
      const report = withLock(() => tryStage(preparedChanges));
      if (report === "conflict") return report;
      if (report === null) continue;
      spool.add(batch);
      for (const { name, value } of batch.checkpoints) checkpoints.set(name, value);
      coverage.push(...batch.coverage);
      return report;
    }
  }

  function swap(lastIngestNumber: number, isFull: boolean): boolean {
    if (dataVersion() !== version) return false;
    const newestEntry = newestOf(writers.entries(platform));
    const { low, skew } = newestEntry;
    const commitNumber = commit.current();
    const identity = {
      uriKey,
      platform,
      low,
      createdInCommit: commitNumber,
      lastWrittenInCommit: commitNumber,
    };
    const replacedPath = segmentPath(folder, newestEntry);
    stagedSegment.identify({ ...identity, sequence, replaces: newestEntry.sequence }, replacedPath);
    writers.close(newestEntry);
    removeEntry(catalog, newestEntry);
    retire(catalog, newestEntry, now(), commitNumber);
    reinstate(catalog, { platform, sequence });
    addSegmentEntry(catalog, { platform, sequence, low, skew, lastWrittenInCommit: commitNumber });
    setOptimised(catalog, { platform, sequence });
    if (isFull && stagedSegment.end() <= lastId) {
      const newSequence = nextSequence(catalog, platform);
      writers.add({ platform, sequence: newSequence, low: stagedSegment.end(), skew });
    }
    putSetting(catalog, "ingest_number", lastIngestNumber);
    for (const interval of coverage) addCoverage(catalog, withoutExpired(catalog, interval));
    for (const [name, value] of checkpoints) putCheckpoint(catalog, { name, value });
    return true;
  }

  function close(): void {
    stagedSegment.close();
    spool.close();
    lock.release();
  }

  return {
    platform,
    spool,
    stage,
    posts: stagedSegment.posts,
    isFull: () => stagedSegment.posts() >= segmentPosts || stagedSegment.isFull(),
    commit: (isFull) => {
      const lastIngestNumber =
        Number(readSetting(catalog, "ingest_number")) + stagedSegment.posts();
      stagedSegment.seal(lastIngestNumber, now());
      const isDone = withLock(() => swap(lastIngestNumber, isFull));
      if (isDone) close();
      return isDone;
    },
    abandon: () => {
      stagedSegment.close();
      removeSegmentFiles(path);
      withLock(() => reinstate(catalog, { platform, sequence }));
      lock.release();
    },
  };
}

function newestOf(entries: readonly SegmentEntry[]): SegmentEntry {
  return owner(entries, lastId);
}
