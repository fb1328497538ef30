import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../../lib/errors.ts";
import { lookupHash } from "../../posts/ids.ts";
import type { CoverageInterval, WriteReport } from "../archive.ts";
import { openCatalogAccounts } from "../catalog/accounts.ts";
import { archiveBytes, orphanedTotals } from "../catalog/archive-files.ts";
import {
  addCoverage,
  addHandles,
  putCheckpoint,
  putSetting,
  readSegments,
  readSetting,
  readUriKey,
} from "../catalog/catalog.ts";
import { openCommitNumber } from "../catalog/commit-number.ts";
import { openMisplacedPosts } from "../catalog/misplaced.ts";
import { openCatalogLabels, openPendingModeration } from "../catalog/moderation.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { withoutExpired } from "../catalog/removed-posts.ts";
import { inTransaction } from "../database.ts";
import type { PreparedChange } from "../prepared.ts";
import { isDamage } from "../sealed/damage.ts";
import { addCountBatch } from "./add-counts.ts";
import { deletesByAlias, openAliases, recordAliases } from "./aliases.ts";
import { openCountChanges } from "./count-changes.ts";
import {
  applyPendingModeration,
  changedSubjects,
  expireLabels,
  recordModeration,
} from "./moderate.ts";
import { latestChanges, type PreparedChanges } from "./prepare.ts";
import { createUnknownSubjects } from "./unknown-subjects.ts";
import { createSegmentWriters, type WriteContext } from "./write-context.ts";
import { addAuthorsWithoutHandle, assignPosts, publish, writeSegments } from "./write-posts.ts";

export type PreparedBatch = PreparedChanges & {
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

export type BatchWriter = {
  /**
   * 1. Takes the catalog's write lock: one batch at a time across all processes.
   * 2. Resolves deletions by alias, and assigns each uri's latest change to a segment.
   * 3. Widens skews, and lists misplaced posts and pending moderation, in a separate commit, so
   *    that no reader skips a post and no crash leaves moderation half applied.
   * 4. Records account states, profiles and labels, which decide the batch's moderation.
   * 5. Writes each segment's changes in ID order, in one transaction. Starts a new segment when the
   *    newest is full.
   * 6. Applies pending moderation to stored posts.
   * 7. Commits handles, counts, coverage and checkpoints last: after a crash the source resends the
   *    batch, and posts already written are found by uri.
   */
  write(batch: PreparedBatch): WriteReport;
  internals: WriterInternals;
  closeCounts(): void;
  addCounts(): boolean;
  /** Removes expired labels, and some entries about posts and accounts that are not stored. */
  expire(nowMs: number): void;
  close(): void;
};

type WriterInternals = {
  context: WriteContext;
  withLock<Value>(work: () => Value): Value;
  /** Errors: `archive_full`. */
  rejectWhenFull(batch: Pick<PreparedBatch, "changes">): void;
};

export type WriterSettings = {
  segmentPosts: number;
  maxBytes: number;
};

export function createBatchWriter(
  folder: string,
  catalog: DatabaseSync,
  { segmentPosts, maxBytes }: WriterSettings,
): BatchWriter {
  const uriKey = readUriKey(catalog);
  const commit = openCommitNumber(catalog);
  const writers = createSegmentWriters(folder, catalog, commit);
  const context: WriteContext = {
    catalog,
    writers,
    accounts: openCatalogAccounts(catalog),
    labels: openCatalogLabels(catalog),
    counts: openCountChanges(catalog),
    aliases: openAliases(catalog),
    misplacedPosts: openMisplacedPosts(catalog),
    pendingModeration: openPendingModeration(catalog),
    commit,
    uriKey,
    hashUri: (uri) => lookupHash(uriKey, uri),
  };
  const { counts, pendingModeration } = context;
  const unknownSubjects = createUnknownSubjects(context);
  const rejectWhenFull = createImportLimit(folder, maxBytes);

  /**
   * Retries once after finding a damaged page: if it belonged to a sealed index, the first try
   * marked the segment, and the second does not use the index.
   */
  function withLock<Value>(work: () => Value): Value {
    try {
      return runLocked(work);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    return runLocked(work);
  }

  function runLocked<Value>(work: () => Value): Value {
    try {
      return inTransaction(catalog, () => {
        commit.reset();
        requireKnownAnalyzers(readSegments(catalog), folder);
        const value = work();
        writers.endReading();
        return value;
      });
    } catch (error) {
      // After a rollback, the catalog does not list the new segments, and another process may
      // create others at the same paths.
      writers.closeAll();
      throw error;
    }
  }

  function write(batch: PreparedBatch): WriteReport {
    rejectWhenFull(batch);
    for (;;) {
      const report = withLock(() => tryWrite(batch));
      writers.closeRemoved();
      if (report !== null) return report;
    }
  }

  function tryWrite(batch: PreparedBatch): WriteReport | null {
    const { changes, report } = latestChanges([
      ...batch.changes,
      ...deletesByAlias(context, batch),
    ]);
    const assignedChanges = [...Map.groupBy(changes, (change) => change.platform)].map(
      ([platform, platformChanges]) => ({
        platform,
        changes: assignPosts(context, platform, platformChanges, {
          report,
          openWriter: writers.openWriter,
        }),
      }),
    );
    const publishedFlags = assignedChanges.map(({ platform, changes: platformChanges }) =>
      publish(context, platform, platformChanges),
    );
    const addedFlags = changedSubjects(context, batch).map((subject) =>
      pendingModeration.add(subject),
    );
    if (publishedFlags.includes(true) || addedFlags.includes(true)) return null;
    for (const { changes: platformChanges } of assignedChanges)
      addAuthorsWithoutHandle(context, platformChanges);
    commit.current();
    recordModeration(context, batch);
    const numbers = { last: Number(readSetting(catalog, "ingest_number")) };
    for (const { platform, changes: platformChanges } of assignedChanges) {
      writeSegments(context, platform, platformChanges, segmentPosts, numbers);
    }
    putSetting(catalog, "ingest_number", numbers.last);
    recordAliases(context, changes);
    report.deleted += applyPendingModeration(context);
    addHandles(catalog, batch.handles);
    for (const change of batch.counts) counts.collect(change);
    for (const interval of batch.coverage) addCoverage(catalog, withoutExpired(catalog, interval));
    for (const checkpoint of batch.checkpoints) putCheckpoint(catalog, checkpoint);
    return report;
  }

  return {
    write,
    internals: { context, withLock, rejectWhenFull },
    closeCounts: () => withLock(() => counts.closeGeneration()),
    addCounts: () => withLock(() => addCountBatch(context)),
    expire: (nowMs) =>
      withLock(() => {
        expireLabels(context, nowMs);
        unknownSubjects.removeSome(nowMs);
      }),
    close: () => {
      writers.closeAll();
      catalog.close();
    },
  };
}

const batchesBetweenChecks = 16;

/**
 * Rejects imports once the archive exceeds its size, because imports never expire. Errors:
 * `archive_full`.
 */
function createImportLimit(
  folder: string,
  maxBytes: number,
): (batch: { changes: readonly PreparedChange[] }) => void {
  let batchesUntilCheck = 0;
  return ({ changes }) => {
    if (!changes.some((change) => change.kind === "upsert" && change.imported)) return;
    if (batchesUntilCheck > 0) {
      batchesUntilCheck -= 1;
      return;
    }
    const bytes = archiveBytes(folder) - orphanedTotals(folder).bytes;
    if (bytes >= maxBytes) {
      throw new EarshotError(
        "archive_full",
        `the archive is ${bytes} bytes, and imports are refused above ${maxBytes}`,
        { status: 507, hint: "raise EARSHOT_ARCHIVE_MAX_BYTES, or import less" },
      );
    }
    batchesUntilCheck = batchesBetweenChecks - 1;
  };
}
