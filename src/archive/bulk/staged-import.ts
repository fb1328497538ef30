/**
 * Building an FTS5 index took a third of an import's CPU time, and sealing read it back. Rows and
 * index are committed together, because posts without an index would not be found.
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
  stage(batch: ImportBatch, prepared: PreparedChanges): WriteReport | "conflict";
  posts(): number;
  isFull(): boolean;
  commit(isFull: boolean): boolean;
  abandon(): void;
};

/**
 * Null if the platform's newest segment is not empty, posts may need moderation, or another process
 * is running compaction.
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
  const staged = createStagedSegment(path, platform, uriKey);
  const spool = createBatchSpool(`${path}-import`);
  const checkpoints = new Map<string, string>();
  const coverage: ImportBatch["coverage"][number][] = [];

  function begin(): { lock: FileLock; sequence: number; version: number } | null {
    if (accounts.hasAny(platform) || labels.hasAny(platform)) return null;
    const newest = newestOf(ensureSegmentEntries(context, platform));
    const isCurrent = newest.analyzer === currentAnalyzer && newest.numbering === currentNumbering;
    if (!isCurrent || newest.rewriting || writers.openWriter(newest).posts() > 0) return null;
    const lock = lockCompaction(folder);
    if (lock === null) return null;
    const sequence = nextSequence(catalog, platform);
    retire(catalog, { platform, sequence }, now(), notCommitted);
    return { lock, sequence, version: dataVersion() };
  }

  function dataVersion(): number {
    return Number(catalog.prepare("PRAGMA data_version").get()?.data_version);
  }

  function tryStage(prepared: PreparedChanges): WriteReport | "conflict" | null {
    if (dataVersion() !== version) return "conflict";
    const { changes, report } = latestChanges(prepared.changes);
    const entries = writers.entries(platform);
    const newest = newestOf(entries);
    const openWriter = (entry: SegmentEntry) =>
      entry.sequence === newest.sequence ? staged.writer : writers.openWriter(entry);
    const positioned = assignPosts(context, platform, changes, { report, openWriter });
    if (publish(context, platform, positioned)) return null;
    addAuthorsWithoutHandle(context, positioned);
    const isOwn = ({ id }: { id: bigint }): boolean => id >= newest.low;
    const older = positioned.filter((change) => !isOwn(change));
    if (older.length > 0) {
      const numbers = { last: Number(readSetting(catalog, "ingest_number")) };
      writeSegments(context, platform, older, segmentPosts, numbers);
      putSetting(catalog, "ingest_number", numbers.last);
    }
    for (const change of inWriteOrder(positioned.filter(isOwn))) {
      applyChange(context, staged.writer, platform, change, { last: 0 });
    }
    addHandles(catalog, prepared.handles);
    return report;
  }

  function stage(batch: ImportBatch, prepared: PreparedChanges): WriteReport | "conflict" {
    for (;;) {
      const report = withLock(() => tryStage(prepared));
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
    const newest = newestOf(writers.entries(platform));
    const { low, skew } = newest;
    const number = commit.current();
    const identity = {
      uriKey,
      platform,
      low,
      createdInCommit: number,
      lastWrittenInCommit: number,
    };
    const replacedPath = segmentPath(folder, newest);
    staged.identify({ ...identity, sequence, replaces: newest.sequence }, replacedPath);
    writers.close(newest);
    removeEntry(catalog, newest);
    retire(catalog, newest, now(), number);
    reinstate(catalog, { platform, sequence });
    addSegmentEntry(catalog, { platform, sequence, low, skew, lastWrittenInCommit: number });
    setOptimised(catalog, { platform, sequence });
    if (isFull && staged.end() <= lastId) {
      const next = nextSequence(catalog, platform);
      writers.add({ platform, sequence: next, low: staged.end(), skew });
    }
    putSetting(catalog, "ingest_number", lastIngestNumber);
    for (const interval of coverage) addCoverage(catalog, withoutExpired(catalog, interval));
    for (const [name, value] of checkpoints) putCheckpoint(catalog, { name, value });
    return true;
  }

  function close(): void {
    staged.close();
    spool.close();
    lock.release();
  }

  return {
    platform,
    spool,
    stage,
    posts: staged.posts,
    isFull: () => staged.posts() >= segmentPosts || staged.isFull(),
    commit: (isFull) => {
      const lastIngestNumber = Number(readSetting(catalog, "ingest_number")) + staged.posts();
      staged.seal(lastIngestNumber, now());
      const isDone = withLock(() => swap(lastIngestNumber, isFull));
      if (isDone) close();
      return isDone;
    },
    abandon: () => {
      staged.close();
      removeSegmentFiles(path);
      withLock(() => reinstate(catalog, { platform, sequence }));
      lock.release();
    },
  };
}

function newestOf(entries: readonly SegmentEntry[]): SegmentEntry {
  return owner(entries, lastId);
}
