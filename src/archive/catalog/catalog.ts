import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { accountByHandle, accountById, accountWithoutId } from "@earshot/query/facets";
import { analyzerVersion } from "@earshot/query/text";
import { unicodeVersion } from "../../lib/unicode-version.ts";
import { lastId, type TimeSkew } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import type { Collection, CoverageInterval, PlatformCoverage } from "../archive.ts";
import type { PreparedHandle } from "../prepared.ts";

/** A segment owns the IDs from `low` to just below the next segment's `low`. */
export type SegmentEntry = {
  platform: Platform;
  sequence: number;
  low: bigint;
  high: bigint;
  skew: TimeSkew;
  analyzer: string;
  numbering: number;
  optimised: boolean;
  lastWrittenInCommit: number;
  rewriting: boolean;
};

/** Version of the rule that assigns IDs to posts in the same millisecond (0055). */
export const currentNumbering = 1;

export const currentAnalyzer = `${analyzerVersion} ${unicodeVersion}`;

export const catalogCacheKib = 4_000;

export const catalogPath = (folder: string): string => join(folder, "catalog.db");

export function segmentPath(folder: string, entry: { platform: string; sequence: number }): string {
  return join(folder, entry.platform, `${String(entry.sequence).padStart(6, "0")}.db`);
}

export function readSegments(catalog: DatabaseSync): SegmentEntry[] {
  const statement = catalog.prepare("SELECT * FROM segment ORDER BY platform, low");
  statement.setReadBigInts(true);
  const rows = statement.all().map((row) => ({
    platform: row.platform as Platform,
    sequence: Number(row.sequence),
    low: row.low as bigint,
    skew: { minMs: Number(row.skew_min_ms), maxMs: Number(row.skew_max_ms) },
    analyzer: String(row.analyzer),
    numbering: Number(row.numbering),
    optimised: row.optimised === 1n,
    lastWrittenInCommit: Number(row.written_in),
    rewriting: row.rewriting !== 0n,
  }));
  return rows.map((row, index) => {
    const next = rows[index + 1];
    const high = next?.platform === row.platform ? next.low - 1n : lastId;
    return { ...row, high };
  });
}

export function addSegmentEntry(
  catalog: DatabaseSync,
  entry: Pick<SegmentEntry, "platform" | "sequence" | "low" | "skew"> & {
    lastWrittenInCommit: number;
    numbering?: number;
  },
): void {
  const {
    platform,
    sequence,
    low,
    skew,
    lastWrittenInCommit,
    numbering = currentNumbering,
  } = entry;
  catalog
    .prepare(
      `INSERT INTO segment(platform, sequence, low, skew_min_ms, skew_max_ms, analyzer, written_in, numbering)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      platform,
      sequence,
      low,
      skew.minMs,
      skew.maxMs,
      currentAnalyzer,
      lastWrittenInCommit,
      numbering,
    );
}

export function setLastWrittenInCommit(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
  commit: number,
): void {
  catalog
    .prepare("UPDATE segment SET written_in = ? WHERE platform = ? AND sequence = ?")
    .run(commit, platform, sequence);
}

/** Also exceeds the numbers of retired segments, whose files may still be in use. */
export function nextSequence(catalog: DatabaseSync, platform: Platform): number {
  const row = catalog
    .prepare(
      `SELECT max(sequence) AS last FROM (
         SELECT sequence FROM segment WHERE platform = ?
         UNION ALL SELECT sequence FROM retired WHERE platform = ?
       )`,
    )
    .get(platform, platform);
  return Number(row?.last ?? 0) + 1;
}

export function setSkew(catalog: DatabaseSync, entry: SegmentEntry, skew: TimeSkew): void {
  catalog
    .prepare(
      "UPDATE segment SET skew_min_ms = ?, skew_max_ms = ? WHERE platform = ? AND sequence = ?",
    )
    .run(skew.minMs, skew.maxMs, entry.platform, entry.sequence);
}

export function setNumbering(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
): void {
  catalog
    .prepare("UPDATE segment SET numbering = ? WHERE platform = ? AND sequence = ?")
    .run(currentNumbering, platform, sequence);
}

export function setOptimised(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
): void {
  catalog
    .prepare("UPDATE segment SET optimised = 1 WHERE platform = ? AND sequence = ?")
    .run(platform, sequence);
}

export const readUriKey = (catalog: DatabaseSync): string => readSetting(catalog, "uri_key");

/**
 * `ingest_number`: the newest committed number. `ingest_order_from`: start of the retained ingest
 * order. `generation`: open generation of count changes. `count_step`: last count batch.
 * `commit_number`: last commit that wrote to segments. `identified`: 1 if every segment contains
 * its identity.
 */
type NumberSetting =
  | "ingest_number"
  | "ingest_order_from"
  | "generation"
  | "count_step"
  | "commit_number"
  | "identified";

export function readSetting(catalog: DatabaseSync, name: "uri_key" | NumberSetting): string {
  return String(catalog.prepare("SELECT value FROM setting WHERE name = ?").get(name)?.value);
}

export function putSetting(catalog: DatabaseSync, name: NumberSetting, value: number): void {
  catalog.prepare("UPDATE setting SET value = ? WHERE name = ?").run(String(value), name);
}

export function putCheckpoint(
  catalog: DatabaseSync,
  { name, value }: { name: string; value: string },
): void {
  catalog
    .prepare("INSERT INTO checkpoint VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(name, value);
}

export function readCheckpoint(catalog: DatabaseSync, name: string): string | null {
  const row = catalog.prepare("SELECT value FROM checkpoint WHERE name = ?").get(name);
  return row === undefined ? null : String(row.value);
}

export const readCoverage = (catalog: DatabaseSync): PlatformCoverage[] =>
  groupByPlatform(catalog, catalog.prepare("SELECT * FROM interval ORDER BY from_ms").all());

export const readAllAccountCoverage = (catalog: DatabaseSync): PlatformCoverage[] =>
  groupByPlatform(
    catalog,
    catalog.prepare("SELECT * FROM interval WHERE account = '' ORDER BY from_ms").all(),
  );

export function accountCoverage(
  catalog: DatabaseSync,
): (platform: Platform, account: string) => CoverageInterval[] {
  const selectIntervals = catalog.prepare(
    "SELECT * FROM interval WHERE platform = ? AND account = ? ORDER BY from_ms",
  );
  return (platform, account) => selectIntervals.all(platform, account).map(toInterval);
}

type IntervalRow = Record<string, unknown>;

function groupByPlatform(catalog: DatabaseSync, rows: readonly IntervalRow[]): PlatformCoverage[] {
  const intervals = rows.map(toInterval);
  const platformsWithPosts = new Set(
    catalog
      .prepare("SELECT DISTINCT platform FROM segment")
      .all()
      .map((row) => row.platform),
  );
  return platforms
    .map((platform) => ({
      platform,
      intervals: intervals.filter((interval) => interval.platform === platform),
      hasPosts: platformsWithPosts.has(platform),
    }))
    .filter((entry) => entry.hasPosts || entry.intervals.length > 0);
}

const toInterval = (row: IntervalRow): CoverageInterval => ({
  platform: row.platform as Platform,
  collection: row.collection as Collection,
  account: row.account === "" ? null : String(row.account),
  source: String(row.source),
  fromMs: Number(row.from_ms),
  toMs: Number(row.to_ms),
});

export function addCoverage(catalog: DatabaseSync, interval: CoverageInterval): void {
  const { platform, collection, account, source, fromMs, toMs } = interval;
  if (toMs <= fromMs) return;
  const intervalKey = [platform, collection, account?.toLowerCase() ?? "", source];
  const adjacentRows = catalog
    .prepare(
      `DELETE FROM interval
       WHERE platform = ? AND collection = ? AND account = ? AND source = ? AND from_ms <= ? AND to_ms >= ?
       RETURNING from_ms, to_ms`,
    )
    .all(...intervalKey, toMs, fromMs);
  const from = Math.min(fromMs, ...adjacentRows.map((row) => Number(row.from_ms)));
  const to = Math.max(toMs, ...adjacentRows.map((row) => Number(row.to_ms)));
  catalog.prepare("INSERT INTO interval VALUES(?, ?, ?, ?, ?, ?)").run(...intervalKey, from, to);
}

export function addHandles(catalog: DatabaseSync, handles: readonly PreparedHandle[]): void {
  const insertHandle = catalog.prepare(
    `INSERT INTO handle VALUES(?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET observed_ms = excluded.observed_ms
     WHERE excluded.observed_ms > observed_ms`,
  );
  for (const { platform, userId, handle, observedMs } of handles) {
    insertHandle.run(platform, userId, handle, observedMs);
  }
}

/**
 * Facet keys that a name may refer to: the handle and every account that has ever had it. If there
 * is no such account, also the account with this ID and its handles.
 */
export function resolveAccount(catalog: DatabaseSync, name: string): string[] {
  const accounts = catalog
    .prepare("SELECT platform, user_id FROM handle WHERE handle = ?")
    .all(name);
  const keys = platforms.map((platform) => accountByHandle(platform, name));
  for (const { platform, user_id } of accounts) {
    keys.push(accountById(String(platform), String(user_id)));
  }
  if (accounts.length > 0) return keys;
  const handles = catalog
    .prepare("SELECT platform, handle FROM handle WHERE user_id = ?")
    .all(name.toLowerCase());
  for (const platform of platforms) keys.push(accountById(platform, name));
  for (const { platform, handle } of handles) {
    keys.push(accountWithoutId(String(platform), String(handle)));
  }
  return keys;
}

export function accountIds(catalog: DatabaseSync, platform: Platform, handle: string): string[] {
  return catalog
    .prepare("SELECT user_id FROM handle WHERE handle = ? AND platform = ?")
    .all(handle, platform)
    .map((row) => String(row.user_id));
}

export function currentHandleReader(
  catalog: DatabaseSync,
): (platform: Platform, userId: string) => string | null {
  const selectHandle = catalog.prepare(
    `SELECT handle FROM handle WHERE platform = ? AND user_id = ?
     ORDER BY observed_ms DESC, handle LIMIT 1`,
  );
  return (platform, userId) => {
    const row = selectHandle.get(platform, userId);
    return row === undefined ? null : String(row.handle);
  };
}
