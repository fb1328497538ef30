import { mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
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
import type { CoverageInterval, WriteReport } from "./archive.ts";
import {
  addCoverage,
  addHandles,
  addSegmentEntry,
  putCheckpoint,
  readSegments,
  readUriKey,
  type SegmentEntry,
  segmentPath,
  setSkew,
} from "./catalog.ts";
import { inTransaction } from "./database.ts";
import { latestChanges } from "./latest-changes.ts";
import { requireAnalyzer } from "./open-catalog.ts";
import { owner, type PlacedChange, placeChanges } from "./placement.ts";
import type { PreparedChange, PreparedHandle } from "./prepare.ts";
import { openSegmentWriter, type SegmentWriter } from "./segments/segment-writer.ts";
import { tombstonesOf } from "./tombstones.ts";

/**
 * How a batch is written.
 *
 * 1. The catalog's write lock is taken: one batch at a time over all processes of the folder.
 * 2. Of several changes to one uri the latest counts; each change is placed: where the post lies, else where it will.
 * 3. A segment whose posts would lie further from the times of their IDs than the catalog says has that widened first, in a
 *    commit of its own, so that no reader ever skips a post for it.
 * 4. Each segment gets its changes in the order of their IDs, in one transaction. The newest segment is cut when it is full.
 * 5. Handles, coverage and checkpoints are committed last: after a crash the source repeats the batch, and what arrived
 *    already is found by its uri.
 */
export type PreparedBatch = {
  changes: readonly PreparedChange[];
  handles: readonly PreparedHandle[];
  checkpoints: readonly { name: string; value: string }[];
  coverage: readonly CoverageInterval[];
};

/** Segments whose files are kept open for writing. */
const openWriters = 64;
/** Page caches: of the segment that fills, and of one that is only looked into or corrected, KiB. */
const fillingCacheKib = 32_000;
const quietCacheKib = 2_000;

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

export type BatchWriter = { write(batch: PreparedBatch): WriteReport; close(): void };

/** `segmentPosts` is the number of posts at which the newest segment is cut. */
export function createBatchWriter(
  folder: string,
  catalog: DatabaseSync,
  segmentPosts: number,
): BatchWriter {
  const writers = new Map<string, SegmentWriter>();
  const uriKey = readUriKey(catalog);

  /** The writer of a segment; the one used longest ago is closed for one too many. */
  function writerOf(entry: SegmentKey, cacheKib = quietCacheKib): SegmentWriter {
    const path = segmentPath(folder, entry);
    let writer = writers.get(path);
    writers.delete(path);
    if (writer === undefined) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writer = openSegmentWriter(path, entry.platform, cacheKib);
    }
    writers.set(path, writer);
    const [oldest] = writers.keys();
    if (writers.size > openWriters && oldest !== undefined) close(oldest);
    return writer;
  }

  function close(path: string): void {
    writers.get(path)?.close();
    writers.delete(path);
  }

  function addSegment(platform: Platform, sequence: number, low: bigint, skew: TimeSkew): void {
    // A file of that number without an entry is what a crash left of an earlier try.
    const path = segmentPath(folder, { platform, sequence });
    close(path);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path + suffix, { force: true });
    addSegmentEntry(catalog, { platform, sequence, low, skew });
    writerOf({ platform, sequence }, fillingCacheKib);
  }

  const segmentsOf = (platform: Platform): SegmentEntry[] =>
    readSegments(catalog).filter((entry) => entry.platform === platform);

  function write(batch: PreparedBatch): WriteReport {
    const { changes, report } = latestChanges(batch.changes);
    try {
      for (;;) {
        const attempt = { ...report };
        if (inTransaction(catalog, () => tryWrite(batch, changes, attempt))) return attempt;
      }
    } catch (error) {
      // A segment that this batch made is in no catalog now: another process may put its own in the same place.
      closeWriters();
      throw error;
    }
  }

  function closeWriters(): void {
    for (const path of [...writers.keys()]) close(path);
  }

  /** False when it had to widen a skew first: the commit that follows publishes it, then the batch is tried anew. */
  function tryWrite(
    batch: PreparedBatch,
    changes: readonly PreparedChange[],
    report: WriteReport,
  ): boolean {
    requireAnalyzer(catalog, folder);
    const placed = [...Map.groupBy(changes, (change) => change.platform)].map(
      ([platform, own]) => ({ platform, changes: place(platform, own, report) }),
    );
    const widened = placed.map(({ platform, changes: own }) => widenSkews(platform, own));
    if (widened.includes(true)) return false;
    for (const { platform, changes: own } of placed) writeSegments(platform, own);
    addHandles(catalog, batch.handles);
    for (const interval of batch.coverage) addCoverage(catalog, interval);
    for (const checkpoint of batch.checkpoints) putCheckpoint(catalog, checkpoint);
    return true;
  }

  function place(
    platform: Platform,
    changes: readonly PreparedChange[],
    report: WriteReport,
  ): PlacedChange[] {
    if (segmentsOf(platform).length === 0) addSegment(platform, 1, 0n, { minMs: 0, maxMs: 0 });
    const hashOf = (uri: string): bigint => hashUri(uriKey, uri).lookup;
    const segments = { entries: segmentsOf(platform), writerOf, hashOf };
    return placeChanges(changes, segments, tombstonesOf(catalog, platform), report);
  }

  function widenSkews(platform: Platform, changes: readonly PlacedChange[]): boolean {
    const entries = segmentsOf(platform);
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
    let rest = changes.toSorted((a, b) => (a.id < b.id ? -1 : a.id > b.id ? 1 : 0));
    while (rest.length > 0) {
      const entries = segmentsOf(platform);
      const entry = owner(entries, rest[0]?.id ?? 0n);
      const isNewest = entry === entries.at(-1);
      const writer = writerOf(entry, isNewest ? fillingCacheKib : quietCacheKib);
      const own = rest.filter((change) => change.id <= entry.high);
      const now = isNewest ? upToCapacity(own, segmentPosts - writer.posts()) : own;
      writeSegment(writer, now);
      rest = rest.slice(now.length);
      const end = writer.end();
      if (isNewest && writer.posts() >= segmentPosts && end <= lastId) {
        addSegment(platform, entry.sequence + 1, end, entry.skew);
        close(segmentPath(folder, entry));
      }
    }
  }

  return {
    write,
    close: () => {
      closeWriters();
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

function writeSegment(writer: SegmentWriter, changes: readonly PlacedChange[]): void {
  writer.begin();
  try {
    for (const change of changes) applyChange(writer, change);
    writer.commit();
  } catch (error) {
    writer.rollback();
    throw error;
  }
}

function applyChange(writer: SegmentWriter, change: PlacedChange): void {
  if (change.kind === "insert") writer.insert(change.post, change.id);
  else if (change.kind === "update") writer.update(change.post, change.held);
  else if (change.kind === "remove") writer.remove(change.id, change.hash);
  else writer.renumber(change.id, change.to, change.hash);
}
