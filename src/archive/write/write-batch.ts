import type { DatabaseSync } from "node:sqlite";
import { lookupHash } from "../../posts/ids.ts";
import type { CoverageInterval, WriteReport } from "../archive.ts";
import { accountsOf } from "../catalog/accounts.ts";
import { withoutAgedOut } from "../catalog/aged-out.ts";
import {
  addCoverage,
  addHandles,
  putCheckpoint,
  putSetting,
  readSegments,
  readSetting,
  readUriKey,
} from "../catalog/catalog.ts";
import { commitNumberOf } from "../catalog/commit-number.ts";
import { labelsOf } from "../catalog/labels.ts";
import { misplacedPostsOf } from "../catalog/misplaced.ts";
import { requireKnownAnalyzers } from "../catalog/open-catalog.ts";
import { pendingModerationOf } from "../catalog/pending-moderation.ts";
import { inTransaction } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { addCountStep } from "./add-counts.ts";
import { aliasesOf, deletesOf, noteAliases } from "./aliases.ts";
import { assignPosts, noteAuthors } from "./assign-posts.ts";
import { countChangesOf } from "./count-changes.ts";
import { createImportBound } from "./import-bound.ts";
import { latestChanges } from "./latest-changes.ts";
import { expireLabels, moderateListed, newsOf, noteModeration } from "./moderate.ts";
import type { PreparedChanges } from "./prepare.ts";
import { publish } from "./publish.ts";
import { segmentWritersOf } from "./segment-writers.ts";
import { unknownSubjectsOf } from "./unknown-subjects.ts";
import type { WriteContext } from "./write-context.ts";
import { writeSegments } from "./write-segments.ts";

/**
 * How a batch is written.
 *
 * 1. The catalog's write lock is taken: one batch at a time over all processes of the folder.
 * 2. Deletions by an alias are led to the posts. Of several changes to one uri the latest counts; each change is placed: where the post lies, else where it will.
 * 3. A segment whose posts would lie further from the times of their IDs than the catalog says has that widened first, and a
 *    post that strays far from the time its uri tells is listed first, as are the accounts and posts that are to be judged
 *    anew, in a commit of its own, so that no reader ever skips a post for it and no crash leaves one half judged.
 * 4. What hosts, accounts and labelers say is noted, so that the posts of the batch are judged by it.
 * 5. Each segment gets its changes in the order of their IDs, in one transaction. The newest segment is cut when it is full.
 * 6. Posts that are held are hidden, shown, labelled or removed as their accounts and labels now say.
 * 7. Handles, counts, coverage and checkpoints are committed last: after a crash the source repeats the batch, and what
 *    arrived already is found by its uri.
 */
export type PreparedBatch = PreparedChanges & {
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

export type BatchWriter = {
  write(batch: PreparedBatch): WriteReport;
  shared: SharedWriting;
  /** Ends the gathering of count changes: `addCounts` adds what came until now. */
  closeCounts(): void;
  /** Adds some of the counts that wait to their posts; false when none waits. */
  addCounts(): boolean;
  /** Takes labels back whose time is over, and forgets some of what was said of those of whom nothing is held. */
  expire(nowMs: number): void;
  close(): void;
};

/** What else writes with the same catalog and segments uses. */
type SharedWriting = {
  context: WriteContext;
  /** All of `work` under the catalog's lock, or nothing of it. */
  locked<Value>(work: () => Value): Value;
  /** Throws `archive_full`. */
  refuseWhenFull(batch: Pick<PreparedBatch, "changes">): void;
};

export type WriterSettings = {
  /** Posts at which the newest segment is cut. */
  segmentPosts: number;
  /** Above it nothing is imported. */
  maxBytes: number;
};

export function createBatchWriter(
  folder: string,
  catalog: DatabaseSync,
  { segmentPosts, maxBytes }: WriterSettings,
): BatchWriter {
  const uriKey = readUriKey(catalog);
  const commit = commitNumberOf(catalog);
  const writers = segmentWritersOf(folder, catalog, commit);
  const context: WriteContext = {
    catalog,
    writers,
    accounts: accountsOf(catalog),
    labels: labelsOf(catalog),
    counts: countChangesOf(catalog),
    aliases: aliasesOf(catalog),
    strayed: misplacedPostsOf(catalog),
    unjudged: pendingModerationOf(catalog),
    commit,
    uriKey,
    hashOf: (uri) => lookupHash(uriKey, uri),
  };
  const { counts, unjudged } = context;
  const strangers = unknownSubjectsOf(context);
  const refuseWhenFull = createImportBound(folder, maxBytes);

  /**
   * All of `work` under the catalog's lock, or nothing of it. Where SQLite gives it up because of a page that is damaged it is done
   * once more: if that page belonged to a sealed index, the segment is marked by then, and written to without it.
   */
  function locked<Value>(work: () => Value): Value {
    try {
      return lockedOnce(work);
    } catch (error) {
      if (!isDamage(error)) throw error;
    }
    return lockedOnce(work);
  }

  function lockedOnce<Value>(work: () => Value): Value {
    try {
      return inTransaction(catalog, () => {
        commit.reset();
        requireKnownAnalyzers(readSegments(catalog), folder);
        const value = work();
        writers.endReading();
        return value;
      });
    } catch (error) {
      // A segment that was made meanwhile is in no catalog now: another process may put its own in the same place.
      writers.closeAll();
      throw error;
    }
  }

  function write(batch: PreparedBatch): WriteReport {
    refuseWhenFull(batch);
    for (;;) {
      const report = locked(() => tryWrite(batch));
      writers.closeGone();
      if (report !== null) return report;
    }
  }

  /** Null when something had to be published first: the commit that follows does, then the batch is tried anew. */
  function tryWrite(batch: PreparedBatch): WriteReport | null {
    const { changes, report } = latestChanges([...batch.changes, ...deletesOf(context, batch)]);
    const placed = [...Map.groupBy(changes, (change) => change.platform)].map(
      ([platform, own]) => ({
        platform,
        changes: assignPosts(context, platform, own, { report, writerOf: writers.writerOf }),
      }),
    );
    const published = placed.map(({ platform, changes: own }) => publish(context, platform, own));
    const news = newsOf(context, batch).map((subject) => unjudged.add(subject));
    if (published.includes(true) || news.includes(true)) return null;
    for (const { changes: own } of placed) noteAuthors(context, own);
    // Every batch counts, also one that writes to no segment.
    commit.current();
    noteModeration(context, batch);
    const arrivals = { last: Number(readSetting(catalog, "arrival")) };
    for (const { platform, changes: own } of placed) {
      writeSegments(context, platform, own, segmentPosts, arrivals);
    }
    putSetting(catalog, "arrival", arrivals.last);
    noteAliases(context, changes);
    report.deleted += moderateListed(context);
    addHandles(catalog, batch.handles);
    for (const change of batch.counts) counts.gather(change);
    for (const interval of batch.coverage) addCoverage(catalog, withoutAgedOut(catalog, interval));
    for (const checkpoint of batch.checkpoints) putCheckpoint(catalog, checkpoint);
    return report;
  }

  return {
    write,
    shared: { context, locked, refuseWhenFull },
    closeCounts: () => locked(() => counts.close()),
    addCounts: () => locked(() => addCountStep(context)),
    expire: (nowMs) =>
      locked(() => {
        expireLabels(context, nowMs);
        strangers.forgetSome(nowMs);
      }),
    close: () => {
      writers.closeAll();
      catalog.close();
    },
  };
}
