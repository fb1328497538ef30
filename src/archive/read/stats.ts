import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { firstSnowflake, idTimeMs, nextMillisecondId } from "../../posts/ids.ts";
import type { ArchiveStats, SealedStats, SegmentStats } from "../archive.ts";
import { archiveBytes, fileSize, orphanedTotals } from "../catalog/archive-files.ts";
import {
  currentAnalyzer,
  readCoverage,
  readSegments,
  readSetting,
  type SegmentEntry,
  segmentPath,
} from "../catalog/catalog.ts";
import { pendingRewrites, pendingSeals, rewriteInProgress } from "../catalog/pending-tasks.ts";
import { openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { countReplacedPosts } from "../sealed/deletion-bitmap.ts";
import { countDeltaPosts, sealedState } from "../sealed/sealed-state.ts";
import { isMarkedDamaged } from "../segments/integrity.ts";

export function* readStats(
  catalog: DatabaseSync,
  folder: string,
  maxBytes: number,
  isSliceOver: () => boolean,
): Generator<void, ArchiveStats> {
  const countRows = (table: string): number =>
    Number(catalog.prepare(`SELECT count(*) AS rows FROM ${table}`).get()?.rows);
  const segments: SegmentStats[] = [];
  for (const entry of readSegments(catalog)) {
    segments.push(segmentStats(folder, entry));
    if (isSliceOver()) yield;
  }
  return {
    segments,
    catalogBytes: fileAndWalSize(join(folder, "catalog.db")),
    bytes: archiveBytes(folder),
    maxBytes,
    tombstones: countRows("tombstone"),
    accounts: countRows("account"),
    labels: countRows("label"),
    waitingCounts: countRows("count_change"),
    lastIngestNumber: Number(readSetting(catalog, "ingest_number")),
    pendingRewrites:
      pendingRewrites(catalog).length + countRows(`segment WHERE rewriting = ${rewriteInProgress}`),
    pendingSeals: pendingSeals(catalog).length,
    retiredFiles: retiredFiles(catalog, folder),
    orphaned: orphanedTotals(folder),
    coverage: readCoverage(catalog),
  };
}

const retiredFiles = (catalog: DatabaseSync, folder: string): number =>
  catalog
    .prepare("SELECT platform, sequence FROM retired")
    .all()
    .map((row) => ({ platform: String(row.platform), sequence: Number(row.sequence) }))
    .filter((file) => fileSize(segmentPath(folder, file)) > 0).length;

function segmentStats(folder: string, entry: SegmentEntry): SegmentStats {
  const path = segmentPath(folder, entry);
  const segment = openForReading(path, 100);
  try {
    const setting = (name: string): number =>
      Number(segment.prepare("SELECT value FROM setting WHERE name = ?").get(name)?.value ?? 0);
    const hiddenRow = segment.prepare("SELECT count(*) AS rows FROM hidden").get();
    return {
      platform: entry.platform,
      sequence: entry.sequence,
      posts: setting("posts"),
      imported: setting("imported"),
      hidden: Number(hiddenRow?.rows),
      bytes: fileAndWalSize(path),
      ...segmentTimes(segment),
      current: entry.analyzer === currentAnalyzer,
      optimised: entry.optimised,
      sealed: sealedStats(segment, path, setting("sealed_bytes")),
    };
  } finally {
    segment.close();
  }
}

function sealedStats(segment: DatabaseSync, path: string, bytes: number): SealedStats | null {
  const state = sealedState(segment);
  if (state === null) return null;
  const replacedCount =
    state.isReadable && !isMarkedDamaged(path) ? readReplacedCount(segment) : null;
  return {
    atMs: state.sealedMs,
    posts: state.posts,
    bytes,
    replaced: replacedCount ?? 0,
    delta: countDeltaPosts(segment, Number.MAX_SAFE_INTEGER),
    damaged: replacedCount === null,
  };
}

function readReplacedCount(segment: DatabaseSync): number | null {
  try {
    return countReplacedPosts(segment);
  } catch (error) {
    if (!isDamage(error)) throw error;
    return null;
  }
}

type Times = Pick<SegmentStats, "fromMs" | "toMs">;

function segmentTimes(segment: DatabaseSync): Times {
  const selectEnds = segment.prepare(
    `SELECT (SELECT min(id) FROM post WHERE id >= ?1) AS first,
            (SELECT max(id) FROM post WHERE id >= ?1) AS last`,
  );
  selectEnds.setReadBigInts(true);
  const { first = null, last = null } = selectEnds.get(firstSnowflake) ?? {};
  const earlySpan = earlyTimes(segment);
  return {
    fromMs: earlySpan.fromMs ?? (first === null ? null : idTimeMs(first as bigint)),
    toMs: last === null ? earlySpan.toMs : idTimeMs(last as bigint),
  };
}

/**
 * IDs of posts from before November 2010 contain no time. X numbered its posts in order, so the
 * first and the last suffice; IDs derived from uris are unordered, but all below `firstOrderedId`.
 */
function earlyTimes(segment: DatabaseSync): Times {
  const { first = null, last = null } =
    segment
      .prepare(
        `SELECT min(nullif(time_ms, 0)) AS first, max(nullif(time_ms, 0)) AS last FROM (
           SELECT time_ms FROM post WHERE id < ?1
           UNION ALL SELECT * FROM (SELECT time_ms FROM post WHERE id >= ?1 AND id < ?2 ORDER BY id LIMIT 1)
           UNION ALL SELECT * FROM (SELECT time_ms FROM post WHERE id >= ?1 AND id < ?2 ORDER BY id DESC LIMIT 1)
         )`,
      )
      .get(firstOrderedId, firstSnowflake) ?? {};
  return {
    fromMs: first === null ? null : Number(first),
    toMs: last === null ? null : Number(last),
  };
}

const firstOrderedId = nextMillisecondId(0n);

const fileAndWalSize = (path: string): number => fileSize(path) + fileSize(`${path}-wal`);
