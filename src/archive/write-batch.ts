import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import {
  firstTimeMs,
  hashUri,
  idTimeMs,
  lastId,
  nextMillisecondId,
  type TimeSkew,
  tellsTime,
} from "../posts/ids.ts";
import type { Platform } from "../posts/post.ts";
import { accountsOf } from "./accounts.ts";
import { addCountStep } from "./add-counts.ts";
import { agedOutMs, withoutAgedOut } from "./aged-out.ts";
import type { CoverageInterval, WriteReport } from "./archive.ts";
import {
  addCoverage,
  addHandles,
  nextSequence,
  presentAnalyzer,
  putCheckpoint,
  putSetting,
  readSegments,
  readSetting,
  readUriKey,
  type SegmentEntry,
  setSkew,
} from "./catalog.ts";
import { countChangesOf } from "./count-changes.ts";
import { inTransaction } from "./database.ts";
import { labelsOf } from "./labels.ts";
import { latestChanges } from "./latest-changes.ts";
import { expireLabels, judgeListed, newsOf, noteModeration } from "./moderate.ts";
import { moderationOf } from "./moderation.ts";
import { requireKnownAnalyzers } from "./open-catalog.ts";
import { owner, type PlacedChange, placeChanges } from "./placement.ts";
import type { PreparedChange, PreparedChanges, PreparedPost } from "./prepare.ts";
import { takeOffReactions } from "./reactions.ts";
import { segmentWritersOf } from "./segment-writers.ts";
import type { SegmentWriter } from "./segments/segment-writer.ts";
import { archiveBytes } from "./stats.ts";
import { strangersOf } from "./strangers.ts";
import { isStrayed, strayedOf } from "./strayed.ts";
import { tombstonesOf } from "./tombstones.ts";
import { unjudgedOf } from "./unjudged.ts";
import { inSegment, type WriteContext } from "./write-context.ts";

/**
 * How a batch is written.
 *
 * 1. The catalog's write lock is taken: one batch at a time over all processes of the folder.
 * 2. Of several changes to one uri the latest counts; each change is placed: where the post lies, else where it will.
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
  /** Ends the gathering of count changes: `addCounts` adds what came until now. */
  closeCounts(): void;
  /** Adds some of the counts that wait to their posts; false when none waits. */
  addCounts(): boolean;
  /** Takes labels back whose time is over, and forgets some of what was said of those of whom nothing is held. */
  expire(nowMs: number): void;
  close(): void;
};

export type WriterSettings = {
  /** Posts at which the newest segment is cut. */
  segmentPosts: number;
  /** Above it nothing is imported. */
  maxBytes: number;
};

/** Batches between two looks at the size of the archive. */
const batchesBetweenLooks = 16;

export function createBatchWriter(
  folder: string,
  catalog: DatabaseSync,
  { segmentPosts, maxBytes }: WriterSettings,
): BatchWriter {
  const uriKey = readUriKey(catalog);
  const writers = segmentWritersOf(folder, catalog);
  const context: WriteContext = {
    catalog,
    writers,
    accounts: accountsOf(catalog),
    labels: labelsOf(catalog),
    counts: countChangesOf(catalog),
    strayed: strayedOf(catalog),
    unjudged: unjudgedOf(catalog),
    hashOf: (uri) => hashUri(uriKey, uri).lookup,
  };
  const { accounts, labels, counts, strayed, unjudged } = context;
  const strangers = strangersOf(context);
  /** The number of the post that arrived last, within a transaction. */
  let arrival = 0;
  /** Whether anything is said of accounts or posts of the platform that is being written. */
  let isModerated = false;

  /** All of `work` under the catalog's lock, or nothing of it. */
  function locked<Value>(work: () => Value): Value {
    try {
      return inTransaction(catalog, () => {
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

  let imports = 0;

  /** Posts of a stream age out; what is imported is kept, so that it must fit. Errors: `archive_full`. */
  function refuseWhenFull(batch: PreparedBatch): void {
    if (!batch.changes.some((change) => change.kind === "upsert" && change.imported)) return;
    imports += 1;
    if (imports % batchesBetweenLooks !== 1) return;
    const bytes = archiveBytes(folder);
    if (bytes < maxBytes) return;
    throw new EarshotError(
      "archive_full",
      `the archive holds ${bytes} bytes, and imports end at ${maxBytes}`,
      { status: 507, hint: "raise EARSHOT_ARCHIVE_MAX_BYTES, or import less" },
    );
  }

  function write(batch: PreparedBatch): WriteReport {
    refuseWhenFull(batch);
    const { changes, report } = latestChanges(batch.changes);
    for (;;) {
      const attempt = { ...report };
      const isWritten = locked(() => tryWrite(batch, changes, attempt));
      writers.closeGone();
      if (isWritten) return attempt;
    }
  }

  /** False when something had to be published first: the commit that follows does, then the batch is tried anew. */
  function tryWrite(
    batch: PreparedBatch,
    changes: readonly PreparedChange[],
    report: WriteReport,
  ): boolean {
    const placed = [...Map.groupBy(changes, (change) => change.platform)].map(
      ([platform, own]) => ({
        platform,
        changes: withoutAged(platform, place(platform, own, report), report),
      }),
    );
    const published = placed.map(({ platform, changes: own }) => publish(platform, own));
    const news = newsOf(context, batch).map((subject) => unjudged.add(subject));
    if (published.includes(true) || news.includes(true)) return false;
    for (const { changes: own } of placed) own.forEach(noteAuthor);
    noteModeration(context, batch);
    arrival = Number(readSetting(catalog, "arrival"));
    for (const { platform, changes: own } of placed) writeSegments(platform, own);
    putSetting(catalog, "arrival", arrival);
    report.deleted += judgeListed(context);
    addHandles(catalog, batch.handles);
    for (const change of batch.counts) counts.gather(change);
    for (const interval of batch.coverage) addCoverage(catalog, withoutAgedOut(catalog, interval));
    for (const checkpoint of batch.checkpoints) putCheckpoint(catalog, checkpoint);
    return true;
  }

  function place(
    platform: Platform,
    changes: readonly PreparedChange[],
    report: WriteReport,
  ): PlacedChange[] {
    if (writers.entries(platform).length === 0) {
      const sequence = nextSequence(catalog, platform);
      writers.add({ platform, sequence, low: 0n, skew: { minMs: 0, maxMs: 0 } });
    }
    const segments = { ...context, writerOf: writers.writerOf, entries: writers.entries(platform) };
    return placeChanges(changes, segments, tombstonesOf(catalog, platform, accounts), report);
  }

  /** What a stream or a backfill brings too late, when posts of its time have aged out, is kept out. */
  function withoutAged(
    platform: Platform,
    changes: PlacedChange[],
    report: WriteReport,
  ): PlacedChange[] {
    const agedMs = agedOutMs(catalog, platform);
    if (agedMs === null) return changes;
    const kept = changes.filter(
      (change) => change.kind !== "insert" || change.post.imported || change.post.timeMs >= agedMs,
    );
    report.inserted -= changes.length - kept.length;
    report.suppressed += changes.length - kept.length;
    return kept;
  }

  /** Whether anything was to be known to others before the posts are. */
  function publish(platform: Platform, changes: readonly PlacedChange[]): boolean {
    const isWidened = widenSkews(platform, changes);
    let isListed = false;
    for (const change of changes) {
      if (change.kind !== "insert" || change.post.hash === null) continue;
      const { uri, hash } = change.post;
      if (!isStrayed(platform, uri, change.id)) continue;
      isListed = strayed.add(platform, hash, change.id) || isListed;
    }
    return isWidened || isListed;
  }

  function widenSkews(platform: Platform, changes: readonly PlacedChange[]): boolean {
    const entries = writers.entries(platform);
    const wider = new Map<SegmentEntry, TimeSkew>();
    for (const change of changes) {
      if (change.kind !== "insert" && change.kind !== "update") continue;
      // What is older than IDs with a time is looked for among those without one, whatever the skew.
      if (!tellsTime(change.id) && change.post.timeMs <= firstTimeMs) continue;
      const entry = owner(entries, change.id);
      const skew = wider.get(entry) ?? entry.skew;
      const off = change.post.timeMs - idTimeMs(change.id);
      if (off >= skew.minMs && off <= skew.maxMs) continue;
      wider.set(entry, { minMs: Math.min(off, skew.minMs), maxMs: Math.max(off, skew.maxMs) });
    }
    for (const [entry, skew] of wider) setSkew(catalog, entry, skew);
    return wider.size > 0;
  }

  function writeSegments(platform: Platform, changes: readonly PlacedChange[]): void {
    isModerated = accounts.any(platform) || labels.any(platform);
    let rest = changes.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    while (rest.length > 0) {
      const entries = writers.entries(platform);
      const entry = owner(entries, rest[0]?.id ?? 0n);
      const isNewest = entry === entries.at(-1);
      const writer = writers.writerOf(entry);
      const own = rest.filter((change) => change.id <= entry.high);
      const taken = isNewest ? upToCapacity(own, segmentPosts - writer.posts()) : own;
      inSegment(writer, entry, () => {
        for (const change of taken) apply(writer, change);
      });
      rest = rest.slice(taken.length);
      const end = writer.end();
      const isEnded = writer.posts() >= segmentPosts || entry.analyzer !== presentAnalyzer;
      if (isNewest && isEnded && end <= lastId) {
        const sequence = nextSequence(catalog, platform);
        writers.add({ platform, sequence, low: end, skew: entry.skew });
        writers.close(entry);
      }
    }
  }

  function apply(writer: SegmentWriter, change: PlacedChange): void {
    if (change.kind === "insert") {
      arrival += 1;
      writer.insert(change.post, change.id, arrival);
      judge(writer, change.post, change.id);
    } else if (change.kind === "update") {
      writer.update(change.post, change.held);
      judge(writer, change.post, change.id);
    } else if (change.kind === "remove") {
      takeOffReactions(context, change.platform, writer.read(change.id));
      writer.remove(change.id, change.hash);
      if (change.hash !== null) strayed.remove(change.platform, change.hash, change.id);
    } else {
      writer.renumber(change.id, change.to, change.hash);
    }
  }

  /** Who is known by an account id alone is to be looked up. */
  function noteAuthor(change: PlacedChange): void {
    if (change.kind !== "insert" && change.kind !== "update") return;
    const { platform, userId, lacksHandle } = change.post;
    if (lacksHandle && userId !== null) accounts.add(platform, userId);
  }

  /** A post comes as its account and its labels say. */
  function judge(writer: SegmentWriter, post: PreparedPost, id: bigint): void {
    if (!isModerated) return;
    const moderation = moderationOf(post, accounts, labels);
    if (moderation.hidden || moderation.labels.length > 0) writer.moderate(id, moderation);
  }

  return {
    write,
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

/** As many changes as bring the segment to its size, and the rest of the last one's millisecond: it has one home. */
function upToCapacity(changes: readonly PlacedChange[], room: number): PlacedChange[] {
  let inserts = 0;
  let cut: bigint | null = null;
  let end = 0;
  for (const change of changes) {
    if (cut !== null && change.id >= cut) break;
    end += 1;
    if (change.kind === "insert") inserts += 1;
    if (cut === null && inserts >= room) cut = nextMillisecondId(change.id);
  }
  return changes.slice(0, end);
}
