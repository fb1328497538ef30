import { errorMessage } from "../../lib/errors.ts";
import { removeOrphanedFiles } from "../catalog/archive-files.ts";
import { catalogPath, readSegments, segmentPath } from "../catalog/catalog.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { isSalvagePending } from "../catalog/pending-tasks.ts";
import { expiredBeforeMs, putExpiredBefore } from "../catalog/removed-posts.ts";
import { type CompactionState, countsByKind } from "../compaction-state.ts";
import { truncateWal } from "./checkpoint-wal.ts";
import type { CompactionContext } from "./context.ts";
import { cutNewest } from "./cut-newest.ts";
import { findSplitIds } from "./cuts.ts";
import { dropIngestOrder, raiseIngestOrderStart } from "./drop-ingest-order.ts";
import { walBytes } from "./files.ts";
import { optimiseSegment } from "./optimise.ts";
import { skipRenumbering } from "./renumbering.ts";
import { dropSegment, isImported, readPostTotals, recordExpiryCutoff } from "./retention.ts";
import { cleanUpAfterCrash, removeRetiredFiles } from "./retire.ts";
import { rewriteSegment } from "./rewrite.ts";
import { salvageSegment } from "./salvage-segment.ts";
import { sealSegment } from "./seal-segment.ts";
import { createSealWatch } from "./seal-watch.ts";
import { type CompactionSteps, inLock } from "./steps.ts";
import { type DueTasks, findTasks, type Task, taskKey } from "./tasks.ts";

/**
 * Runs one task at a time, the most urgent first. Search results do not change, except that posts
 * expire.
 *
 * A write-ahead log cannot be emptied while a reader uses an older snapshot. The largest is
 * reported, and all count towards the archive's size.
 */
export type Compaction = {
  /** False if no task ran. Never throws: failed tasks are retried later. */
  runNext(): CompactionSteps<boolean>;
  state(): CompactionState;
};

/** How long retired files are kept for running searches while the archive is too large. */
const graceMs = 10_000;

/** The delay before the first retry; it doubles with each failure. */
const firstRetryDelayMs = 30_000;
const maxRetryDelayMs = 3_600_000;

/** The share of the maximum archive size below which late posts are accepted again. */
const lateAcceptanceShare = 0.9;

const catalogWalBytes = 64 * 1024 ** 2;

const noFindings: DueTasks = {
  tasks: [],
  segments: 0,
  bytes: 0,
  retiredBytes: 0,
  orphaned: { files: 0, bytes: 0 },
  walBytes: 0,
  counts: 0,
};

export function createCompaction(context: CompactionContext): Compaction {
  const { folder, catalog, clock, bounds } = context;
  const sealWatch = createSealWatch(context);
  const failures = new Map<string, { count: number; untilMs: number }>();
  let isCleanedUp = false;
  let currentTask: Task | null = null;
  let failure: CompactionState["error"] = null;
  let expiredPosts = 0;
  let findings = noFindings;
  const done = countsByKind();

  function* runNext(): CompactionSteps<boolean> {
    try {
      requireKnownAnalyzers(readSegments(catalog), folder);
      if (!isCleanedUp) yield* cleanUpAfterCrash(context);
      isCleanedUp = true;
      const isTooLarge = findings.bytes + findings.retiredBytes > bounds.maxBytes;
      yield* removeRetiredFiles(context, clock.now() - (isTooLarge ? graceMs : bounds.retiredMs));
      const roomBytes = Math.max(0, bounds.maxBytes - findings.bytes - findings.retiredBytes);
      removeOrphanedFiles(folder, clock.now() - bounds.orphanedMs, roomBytes);
      yield* raiseIngestOrderStart(context);
      findings = findTasks(context, sealWatch);
      yield* acceptLatePosts();
      if (walBytes(catalogPath(folder)) > catalogWalBytes) truncateWal(catalogPath(folder));
      if (failure?.kind === null) failure = null;
    } catch (error) {
      failure = { kind: null, message: errorMessage(error), atMs: clock.now() };
      return false;
    }
    const task = findings.tasks.find(
      (other) => (failures.get(taskKey(other))?.untilMs ?? 0) <= clock.now(),
    );
    if (task === undefined) return false;
    yield* tryTask(task);
    return true;
  }

  function* tryTask(task: Task): CompactionSteps<void> {
    const key = taskKey(task);
    currentTask = task;
    try {
      const isDone = yield* perform(task);
      if (!isDone) postpone(key);
      else {
        failures.delete(key);
        done[task.kind] += 1;
        failure = null;
      }
    } catch (error) {
      postpone(key);
      failure = { kind: task.kind, message: errorMessage(error), atMs: clock.now() };
      isCleanedUp = false;
    } finally {
      currentTask = null;
    }
  }

  function postpone(key: string): void {
    const count = (failures.get(key)?.count ?? 0) + 1;
    const delayMs = Math.min(firstRetryDelayMs * 2 ** (count - 1), maxRetryDelayMs);
    failures.set(key, { count, untilMs: clock.now() + delayMs });
  }

  function* perform({ kind, entry }: Task): CompactionSteps<boolean> {
    switch (kind) {
      case "drop": {
        const posts = yield* dropSegment(context, entry);
        expiredPosts += posts ?? 0;
        return posts !== null;
      }
      case "thin": {
        // The coverage is removed before the posts.
        yield* inLock(catalog, () => recordExpiryCutoff(context, entry));
        const report = yield* rewriteSegment(context, entry, { cuts: [], shouldKeep: isImported });
        expiredPosts += report.dropped;
        return report.isDone;
      }
      case "cut":
        yield* cutNewest(context, entry);
        return true;
      case "reindex": {
        if (isSalvagePending(catalog, entry)) {
          return (yield* salvageSegment(context, entry)).isDone;
        }
        if (yield* skipRenumbering(context, entry)) return true;
        const isLarge = readPostTotals(folder, entry).posts > bounds.splitPosts;
        const cuts = isLarge ? findSplitIds(folder, entry, bounds.splitPosts) : [];
        return (yield* rewriteSegment(context, entry, { cuts, shouldKeep: null })).isDone;
      }
      case "split": {
        const cuts = findSplitIds(folder, entry, bounds.splitPosts);
        if (cuts.length === 0) return false;
        return (yield* rewriteSegment(context, entry, { cuts, shouldKeep: null })).isDone;
      }
      case "forget":
        yield* dropIngestOrder(context, entry);
        return true;
      case "optimise":
        yield* optimiseSegment(context, entry);
        return true;
      case "seal":
        return (yield* sealSegment(context, entry)).isDone;
      case "shorten":
        return truncateWal(segmentPath(folder, entry));
    }
  }

  function* acceptLatePosts(): CompactionSteps<void> {
    if (findings.bytes > bounds.maxBytes * lateAcceptanceShare) return;
    const cutoffMs = bounds.maxAgeMs === 0 ? null : clock.now() - bounds.maxAgeMs;
    for (const platform of new Set(readSegments(catalog).map((entry) => entry.platform))) {
      const expiredMs = expiredBeforeMs(catalog, platform);
      if (expiredMs === null || (cutoffMs !== null && expiredMs <= cutoffMs)) continue;
      yield* inLock(catalog, () => putExpiredBefore(catalog, platform, cutoffMs));
    }
  }

  return {
    runNext,
    state: () => {
      const waiting = countsByKind();
      for (const { kind } of findings.tasks) waiting[kind] += 1;
      const isExpiring = waiting.drop + waiting.thin > 0;
      return {
        status: currentTask === null ? "idle" : "working",
        doing: currentTask && {
          kind: currentTask.kind,
          platform: currentTask.entry.platform,
          sequence: currentTask.entry.sequence,
        },
        waiting,
        done,
        expiredPosts,
        error: failure,
        segments: findings.segments,
        bytes: findings.bytes,
        maxBytes: bounds.maxBytes,
        isOverBound: findings.bytes > bounds.maxBytes && !isExpiring,
        orphaned: findings.orphaned,
        walBytes: findings.walBytes,
        counts: findings.counts,
      };
    },
  };
}
