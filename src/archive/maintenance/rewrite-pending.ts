import type { DatabaseSync } from "node:sqlite";
import { folderError } from "../../db/folder-errors.ts";
import type { Clock } from "../../lib/clock.ts";
import {
  currentAnalyzer,
  currentNumbering,
  readSegments,
  type SegmentEntry,
} from "../catalog/catalog.ts";
import { openCatalog } from "../catalog/open-catalog.ts";
import {
  addPendingRewrites,
  isSalvagePending,
  pendingRewrites,
  requestSalvage,
} from "../catalog/pending-tasks.ts";
import { type CompactionContext, compactionContext } from "../compaction/context.ts";
import { findSplitIds } from "../compaction/cuts.ts";
import { lockCompaction } from "../compaction/lock.ts";
import { readPostTotals } from "../compaction/retention.ts";
import { cleanUpAfterCrash } from "../compaction/retire.ts";
import { rewriteSegment } from "../compaction/rewrite.ts";
import { type SalvageReport, salvageSegment } from "../compaction/salvage-segment.ts";
import { inTransaction } from "../database.ts";
import type { ArchiveBounds } from "../settings.ts";
import { repairUris } from "./repair-uris.ts";
import { interleave, removeOldFiles, segmentNotFound } from "./without-server.ts";

export type RewriteRequest = {
  folder: string;
  bounds: ArchiveBounds;
  clock: Pick<Clock, "now" | "sleep">;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
};

export type RewriteOutcome = {
  /** If true, the process that runs compaction performs the rewrites. */
  isQueued: boolean;
  segments: number;
  posts: number;
  salvaged: readonly SalvagedSegment[];
  /** If false, a running server removes the old files. */
  oldFilesRemoved: boolean;
};

export type SalvagedSegment = Pick<SalvageReport, "posts" | "lost"> & {
  segment: string;
};

export type RewriteSelection = "outdated" | "all" | { segment: string };

/**
 * Requests a salvage of a named segment, or rewrites of the other selections; `all` first repairs
 * the lists of uris. Returns the number of segments. Errors: `wrong_use` if there is no such
 * segment.
 */
export async function requestRewrites(
  folder: string,
  selection: RewriteSelection,
  signal: AbortSignal,
): Promise<number> {
  const catalog = openCatalogIn(folder);
  try {
    const selectedEntries = readSegments(catalog).filter((entry) => isSelected(entry, selection));
    if (typeof selection === "object" && selectedEntries.length === 0)
      throw segmentNotFound(selection.segment);
    for (const entry of selection === "all" ? selectedEntries : []) {
      for (const _ of repairUris(folder, catalog, entry)) {
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
    }
    inTransaction(catalog, () => {
      if (typeof selection === "object")
        for (const entry of selectedEntries) requestSalvage(catalog, entry);
      else addPendingRewrites(catalog, selectedEntries);
    });
    return selectedEntries.length;
  } finally {
    catalog.close();
  }
}

function openCatalogIn(folder: string): DatabaseSync {
  try {
    return openCatalog(folder);
  } catch (error) {
    throw folderError(error, folder);
  }
}

function isSelected(entry: SegmentEntry, selection: RewriteSelection): boolean {
  if (selection === "all") return true;
  if (selection === "outdated") {
    return entry.analyzer !== currentAnalyzer || entry.numbering !== currentNumbering;
  }
  return selection.segment === `${entry.platform}/${entry.sequence}`;
}

/**
 * Does nothing if another process is running compaction; that process then performs the rewrites.
 * If aborted, the remaining rewrites stay pending.
 */
export async function rewritePending(request: RewriteRequest): Promise<RewriteOutcome> {
  const { folder, bounds, clock } = request;
  const lock = lockCompaction(folder);
  if (lock === null)
    return { isQueued: true, segments: 0, posts: 0, salvaged: [], oldFilesRemoved: false };
  try {
    const context = compactionContext(folder, bounds, clock);
    try {
      const outcome = await rewriteEach(context, request);
      const oldFilesRemoved = await removeOldFiles(context, request);
      return { isQueued: false, ...outcome, oldFilesRemoved };
    } catch (error) {
      throw folderError(error, folder);
    } finally {
      context.catalog.close();
    }
  } finally {
    lock.release();
  }
}

async function rewriteEach(
  context: CompactionContext,
  request: RewriteRequest,
): Promise<Pick<RewriteOutcome, "segments" | "posts" | "salvaged">> {
  const { folder, bounds, catalog } = context;
  await interleave(cleanUpAfterCrash(context), request, () => {});
  const pendingEntries = pendingRewrites(catalog);
  const total = pendingEntries.reduce((sum, entry) => sum + readPostTotals(folder, entry).posts, 0);
  const rewrittenTotals = { segments: 0, posts: 0 };
  const salvaged: SalvagedSegment[] = [];
  for (const entry of pendingEntries) {
    const { posts } = readPostTotals(folder, entry);
    const onStep = (steps: number): void =>
      request.onProgress(rewrittenTotals.posts + estimatedPosts(steps, posts), total);
    if (isSalvagePending(catalog, entry)) {
      const report = await interleave(salvageSegment(context, entry), request, onStep);
      if (report.isDone) rewrittenTotals.segments += 1;
      const segment = `${entry.platform}/${entry.sequence}`;
      const { posts: salvagedPosts, lost } = report;
      if (report.isDamaged) salvaged.push({ segment, posts: salvagedPosts, lost });
    } else {
      const cuts = posts > bounds.splitPosts ? findSplitIds(folder, entry, bounds.splitPosts) : [];
      const { isDone } = await interleave(
        rewriteSegment(context, entry, { cuts, shouldKeep: null }),
        request,
        onStep,
      );
      if (isDone) rewrittenTotals.segments += 1;
    }
    rewrittenTotals.posts += posts;
    request.onProgress(rewrittenTotals.posts, total);
  }
  return { ...rewrittenTotals, salvaged };
}

/** Estimates for the progress display. */
const postsPerStep = 250;
const copyFraction = 0.85;

const estimatedPosts = (steps: number, posts: number): number =>
  Math.min(steps * postsPerStep, posts) * copyFraction;
