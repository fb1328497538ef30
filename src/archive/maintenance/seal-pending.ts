import { dirname } from "node:path";
import { folderError } from "../../db/folder-errors.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import { lastId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { readSegments, type SegmentEntry } from "../catalog/catalog.ts";
import { addPendingSeals, pendingSeals } from "../catalog/pending-tasks.ts";
import { type CompactionContext, compactionContext } from "../compaction/context.ts";
import { lockCompaction } from "../compaction/lock.ts";
import { readPostTotals } from "../compaction/retention.ts";
import { cleanUpAfterCrash } from "../compaction/retire.ts";
import { sealSegment } from "../compaction/seal-segment.ts";
import { createSealWatch, type SealObstacle } from "../compaction/seal-watch.ts";
import { inTransaction } from "../database.ts";
import type { ArchiveBounds } from "../settings.ts";
import { interleave, removeOldFiles, segmentNotFound, withoutServer } from "./without-server.ts";

export type SealRequest = {
  folder: string;
  bounds: ArchiveBounds;
  clock: Pick<Clock, "now" | "sleep">;
  selection: SealSelection;
  onProgress: (done: number, total: number) => void;
  signal: AbortSignal;
};

/** One segment, or all that are worth sealing. The newest ones are left to a running server. */
export type SealSelection = { segment: string } | { platform: Platform | "all" };

export type SealOutcome = {
  requested: number;
  isQueued: boolean;
  segments: number;
  posts: number;
  oldFilesRemoved: boolean;
};

/**
 * Requests seals, and performs them unless a server is running. If aborted, the remaining seals
 * stay pending. Errors: `wrong_use`, `not_sealable`.
 */
export async function sealPending(request: SealRequest): Promise<SealOutcome> {
  const { folder, bounds } = request;
  const noSeals = { requested: 0, isQueued: false, segments: 0, posts: 0, oldFilesRemoved: true };
  if (bounds.seal === "off") return noSeals;
  const hasServer = await withoutServer(dirname(folder), async () => false, true);
  const context = openContext(request);
  try {
    const chosenEntries = chooseEntries(context, request.selection, hasServer);
    inTransaction(context.catalog, () => addPendingSeals(context.catalog, chosenEntries));
    const requested = pendingEntries(context).length;
    if (requested === 0) return noSeals;
    const queuedOutcome = { ...noSeals, requested, isQueued: true, oldFilesRemoved: false };
    if (hasServer) return queuedOutcome;
    const lock = lockCompaction(folder);
    if (lock === null) return queuedOutcome;
    try {
      const sealedTotals = await sealEach(context, request);
      return {
        requested,
        isQueued: false,
        ...sealedTotals,
        oldFilesRemoved: await removeOldFiles(context, request),
      };
    } finally {
      lock.release();
    }
  } catch (error) {
    throw folderError(error, folder);
  } finally {
    context.catalog.close();
  }
}

function openContext({ folder, bounds, clock }: SealRequest): CompactionContext {
  try {
    return compactionContext(folder, bounds, clock);
  } catch (error) {
    throw folderError(error, folder);
  }
}

function pendingEntries(context: CompactionContext): SegmentEntry[] {
  const requestedEntries = pendingSeals(context.catalog);
  const watch = createSealWatch(context);
  watch.update(requestedEntries);
  return requestedEntries.filter((entry) => watch.sealState(entry).obstacle === null).reverse();
}

function chooseEntries(
  context: CompactionContext,
  selection: SealSelection,
  hasServer: boolean,
): SegmentEntry[] {
  const entries = readSegments(context.catalog);
  const watch = createSealWatch(context);
  watch.update(entries);
  if ("segment" in selection) {
    const entry = entries.find(
      ({ platform, sequence }) => `${platform}/${sequence}` === selection.segment,
    );
    if (entry === undefined) throw segmentNotFound(selection.segment);
    const { obstacle } = watch.sealState(entry);
    if (obstacle !== null) throw notSealable(selection.segment, obstacle);
    return [entry];
  }
  const isLeftToServer = (entry: SegmentEntry): boolean => hasServer && entry.high === lastId;
  return entries
    .filter(({ platform }) => selection.platform === "all" || selection.platform === platform)
    .filter((entry) => watch.sealState(entry).isWorthwhile && !isLeftToServer(entry));
}

const obstacles: Record<SealObstacle, string> = {
  off: "sealing is disabled",
  empty: "it has no posts",
  outdated: "its index was built by another analyzer",
  damaged: "its sealed index is damaged or has another format",
  unreadable: "its FTS5 index is damaged or has an unknown format",
};

function notSealable(name: string, obstacle: SealObstacle): EarshotError {
  const message = `${name} cannot be sealed: ${obstacles[obstacle]}`;
  if (obstacle === "off" || obstacle === "empty") return new EarshotError("not_sealable", message);
  return new EarshotError("not_sealable", message, {
    hint: `rebuild it with earshot archive reindex --segment ${name}, and then seal it`,
  });
}

async function sealEach(
  context: CompactionContext,
  request: SealRequest,
): Promise<{ segments: number; posts: number }> {
  const { folder } = context;
  await interleave(cleanUpAfterCrash(context), request, () => {});
  const entries = pendingEntries(context);
  const total = entries.reduce((sum, entry) => sum + readPostTotals(folder, entry).posts, 0);
  const sealedTotals = { segments: 0, posts: 0 };
  let done = 0;
  for (const entry of entries) {
    const { posts } = readPostTotals(folder, entry);
    const report = await interleave(sealSegment(context, entry), request, (steps) =>
      request.onProgress(done + estimatedPosts(steps, posts), total),
    );
    if (report.isDone) {
      sealedTotals.segments += 1;
      sealedTotals.posts += report.posts;
    }
    done += posts;
    request.onProgress(done, total);
  }
  return sealedTotals;
}

/**
 * Measured: the shares of copying in steps and time, and the highest share reported before the end.
 */
const postsPerStep = 90;
const copyingStepShare = 0.1;
const copyingTimeShare = 0.35;
const maxReportedShare = 0.95;

function estimatedPosts(steps: number, posts: number): number {
  const share = (steps * postsPerStep) / posts;
  const indexingShare = Math.max(0, share - copyingStepShare) / (1 - copyingStepShare);
  const copyingShare = Math.min(1, share / copyingStepShare);
  return (
    posts *
    Math.min(
      maxReportedShare,
      copyingTimeShare * copyingShare + (1 - copyingTimeShare) * indexingShare,
    )
  );
}
