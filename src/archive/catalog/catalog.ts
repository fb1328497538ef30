import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { lastId, type TimeSkew } from "../../posts/ids.ts";
import { type Platform, platforms } from "../../posts/post.ts";
import { analyzerVersion, unicodeVersion } from "../../text/analyze.ts";
import { accountByHandle, accountById, accountWithoutId } from "../../text/facets.ts";
import type { Collection, CoverageInterval, PlatformCoverage } from "../archive.ts";
import type { PreparedHandle } from "../prepared.ts";

/** One segment of a platform: it owns the IDs from `low` up to the next segment's `low`. */
export type SegmentEntry = {
  platform: Platform;
  sequence: number;
  low: bigint;
  high: bigint;
  /** Covers at least the posts of the segment: it is widened before a post that needs it is written. */
  skew: TimeSkew;
  /** What made its terms: the version of the analyzer and that of Unicode. */
  analyzer: string;
  /** How its posts are numbered: `presentNumbering`, or 0 for numbers of a hash that is keyed for each archive. */
  numbering: number;
  /** Whether its index was merged into one piece since it is quiet. */
  optimised: boolean;
  /** The number of the last commit that wrote to it. */
  writtenIn: number;
  /** Whether it is being copied into another file: what changes meanwhile is noted in it. */
  rewriting: boolean;
};

/** The posts of one millisecond are numbered as `number-slots.ts` does it. */
export const presentNumbering = 1;

/** What makes the terms of posts here. */
export const presentAnalyzer = `${analyzerVersion} ${unicodeVersion}`;

/** Page cache of a connection to the catalog, KiB. */
export const catalogCacheKib = 4_000;

export const catalogPath = (folder: string): string => join(folder, "catalog.db");

export function segmentPath(folder: string, entry: { platform: string; sequence: number }): string {
  return join(folder, entry.platform, `${String(entry.sequence).padStart(6, "0")}.db`);
}

/** The segments of all platforms, lowest IDs first within each. */
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
    writtenIn: Number(row.written_in),
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
    writtenIn: number;
    numbering?: number;
  },
): void {
  const { platform, sequence, low, skew, writtenIn, numbering = presentNumbering } = entry;
  catalog
    .prepare(
      `INSERT INTO segment(platform, sequence, low, skew_min_ms, skew_max_ms, analyzer, written_in, numbering)
       VALUES(?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(platform, sequence, low, skew.minMs, skew.maxMs, presentAnalyzer, writtenIn, numbering);
}

/** Notes the commit in which a segment was last written, after the segment has noted it itself (`commit-number.ts`). */
export function setWrittenIn(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
  commit: number,
): void {
  catalog
    .prepare("UPDATE segment SET written_in = ? WHERE platform = ? AND sequence = ?")
    .run(commit, platform, sequence);
}

/** The number of a platform's next segment: above that of every one there is, or was and may still be read. */
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

/** Notes that the posts of a segment are numbered as they are now. */
export function setNumbering(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
): void {
  catalog
    .prepare("UPDATE segment SET numbering = ? WHERE platform = ? AND sequence = ?")
    .run(presentNumbering, platform, sequence);
}

/** Notes that the index of a segment was merged into one piece. */
export function setOptimised(
  catalog: DatabaseSync,
  { platform, sequence }: Pick<SegmentEntry, "platform" | "sequence">,
): void {
  catalog
    .prepare("UPDATE segment SET optimised = 1 WHERE platform = ? AND sequence = ?")
    .run(platform, sequence);
}

/** The key of this archive's uri hashes. */
export const readUriKey = (catalog: DatabaseSync): string => readSetting(catalog, "uri_key");

/**
 * `arrival` is the number of the post that arrived last, `arrivals_from` the one up to which arrivals are forgotten, `generation` that of the count changes that gather, `count_step`
 * that of the last step in which some were added to their posts. `commit_number` counts the commits that segments take part in
 * (`commit-number.ts`), and `identified` is 1 once every segment notes who it is.
 */
type NumberSetting =
  | "arrival"
  | "arrivals_from"
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

/** What is held completely of each platform that has any post or interval, of single accounts too. */
export const readCoverage = (catalog: DatabaseSync): PlatformCoverage[] =>
  byPlatform(catalog, catalog.prepare("SELECT * FROM interval ORDER BY from_ms").all());

/** The same without what is held of single accounts, of which there may be thousands. */
export const readCoverageOfAll = (catalog: DatabaseSync): PlatformCoverage[] =>
  byPlatform(
    catalog,
    catalog.prepare("SELECT * FROM interval WHERE account = '' ORDER BY from_ms").all(),
  );

/** Reads what is held of one account alone, by its platform and its id in lower case. */
export function coverageOfAccount(
  catalog: DatabaseSync,
): (platform: Platform, account: string) => CoverageInterval[] {
  const select = catalog.prepare(
    "SELECT * FROM interval WHERE platform = ? AND account = ? ORDER BY from_ms",
  );
  return (platform, account) => select.all(platform, account).map(toInterval);
}

type IntervalRow = Record<string, unknown>;

function byPlatform(catalog: DatabaseSync, rows: readonly IntervalRow[]): PlatformCoverage[] {
  const intervals = rows.map(toInterval);
  const holding = new Set(
    catalog
      .prepare("SELECT DISTINCT platform FROM segment")
      .all()
      .map((row) => row.platform),
  );
  return platforms
    .map((platform) => ({
      platform,
      intervals: intervals.filter((interval) => interval.platform === platform),
      holdsPosts: holding.has(platform),
    }))
    .filter((entry) => entry.holdsPosts || entry.intervals.length > 0);
}

const toInterval = (row: IntervalRow): CoverageInterval => ({
  platform: row.platform as Platform,
  collection: row.collection as Collection,
  account: row.account === "" ? null : String(row.account),
  source: String(row.source),
  fromMs: Number(row.from_ms),
  toMs: Number(row.to_ms),
});

/** Adds an interval; those of the same kind and source that it overlaps or touches become one with it. */
export function addCoverage(catalog: DatabaseSync, interval: CoverageInterval): void {
  const { platform, collection, account, source, fromMs, toMs } = interval;
  if (toMs <= fromMs) return;
  const kind = [platform, collection, account?.toLowerCase() ?? "", source];
  const joined = catalog
    .prepare(
      `DELETE FROM interval
       WHERE platform = ? AND collection = ? AND account = ? AND source = ? AND from_ms <= ? AND to_ms >= ?
       RETURNING from_ms, to_ms`,
    )
    .all(...kind, toMs, fromMs);
  const from = Math.min(fromMs, ...joined.map((row) => Number(row.from_ms)));
  const to = Math.max(toMs, ...joined.map((row) => Number(row.to_ms)));
  catalog.prepare("INSERT INTO interval VALUES(?, ?, ?, ?, ?, ?)").run(...kind, from, to);
}

/** Remembers which account was seen with which handle, and when last. */
export function addHandles(catalog: DatabaseSync, handles: readonly PreparedHandle[]): void {
  const put = catalog.prepare(
    `INSERT INTO handle VALUES(?, ?, ?, ?)
     ON CONFLICT DO UPDATE SET observed_ms = excluded.observed_ms
     WHERE excluded.observed_ms > observed_ms`,
  );
  for (const { platform, userId, handle, observedMs } of handles) {
    put.run(platform, userId, handle, observedMs);
  }
}

/**
 * The accounts that a name given by a user can stand for, on every platform, as facets hold them: the handle itself, and every
 * account id that ever bore it. A name that nobody bore is taken for an account id, together with the handles of that account.
 */
export function resolveAccount(catalog: DatabaseSync, name: string): string[] {
  const bearers = catalog
    .prepare("SELECT platform, user_id FROM handle WHERE handle = ?")
    .all(name);
  const keys = platforms.map((platform) => accountByHandle(platform, name));
  for (const { platform, user_id } of bearers) {
    keys.push(accountById(String(platform), String(user_id)));
  }
  if (bearers.length > 0) return keys;
  const handles = catalog
    .prepare("SELECT platform, handle FROM handle WHERE user_id = ?")
    .all(name.toLowerCase());
  for (const platform of platforms) keys.push(accountById(platform, name));
  for (const { platform, handle } of handles) {
    keys.push(accountWithoutId(String(platform), String(handle)));
  }
  return keys;
}

/** The ids of the accounts of a platform that ever bore a handle. */
export function accountIds(catalog: DatabaseSync, platform: Platform, handle: string): string[] {
  return catalog
    .prepare("SELECT user_id FROM handle WHERE handle = ? AND platform = ?")
    .all(handle, platform)
    .map((row) => String(row.user_id));
}

/** The handle that an account was last seen with. */
export function presentHandle(
  catalog: DatabaseSync,
): (platform: Platform, userId: string) => string | null {
  const select = catalog.prepare(
    `SELECT handle FROM handle WHERE platform = ? AND user_id = ?
     ORDER BY observed_ms DESC, handle LIMIT 1`,
  );
  return (platform, userId) => {
    const row = select.get(platform, userId);
    return row === undefined ? null : String(row.handle);
  };
}
