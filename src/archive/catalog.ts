import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { lastId, type TimeSkew } from "../posts/ids.ts";
import { type Platform, platforms } from "../posts/post.ts";
import { analyzerVersion } from "../text/analyze.ts";
import { accountByHandle, accountById, accountWithoutId } from "../text/facets.ts";
import type { CoverageInterval, PlatformCoverage } from "./archive.ts";
import type { PreparedHandle } from "./prepare.ts";

/**
 * What the archive knows beside its posts: which segments there are and which IDs each owns, which posts were deleted, what
 * accounts are called, what the sources hold completely, how far each has come, and which analyzer made its terms. A batch is written under the catalog's
 * write lock, and its checkpoints are committed here last: after a crash a source repeats what may not have arrived.
 */
export const catalogSchema = `
  CREATE TABLE setting(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE segment(
    platform TEXT NOT NULL, sequence INTEGER NOT NULL,
    low INTEGER NOT NULL,
    skew_min_ms INTEGER NOT NULL, skew_max_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, sequence)
  ) WITHOUT ROWID;
  CREATE TABLE tombstone(
    platform TEXT NOT NULL, uri TEXT NOT NULL, revision TEXT NOT NULL,
    PRIMARY KEY(platform, uri)
  ) WITHOUT ROWID;
  CREATE TABLE handle(
    platform TEXT NOT NULL, user_id TEXT NOT NULL, handle TEXT NOT NULL, observed_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, user_id, handle)
  ) WITHOUT ROWID;
  CREATE INDEX handle_by_name ON handle(handle);
  CREATE TABLE checkpoint(name TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID;
  CREATE TABLE coverage(
    platform TEXT NOT NULL, source TEXT NOT NULL, from_ms INTEGER NOT NULL, to_ms INTEGER NOT NULL,
    PRIMARY KEY(platform, source, from_ms)
  ) WITHOUT ROWID;
  INSERT INTO setting VALUES
    ('uri_key', lower(hex(randomblob(16)))), ('analyzer', '${analyzerVersion}');
`;

/** One segment of a platform: it owns the IDs from `low` up to the next segment's `low`. */
export type SegmentEntry = {
  platform: Platform;
  sequence: number;
  low: bigint;
  high: bigint;
  /** Covers at least the posts of the segment: it is widened before a post that needs it is written. */
  skew: TimeSkew;
};

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
  }));
  return rows.map((row, index) => {
    const next = rows[index + 1];
    const high = next?.platform === row.platform ? next.low - 1n : lastId;
    return { ...row, high };
  });
}

export function addSegmentEntry(
  catalog: DatabaseSync,
  { platform, sequence, low, skew }: Omit<SegmentEntry, "high">,
): void {
  catalog
    .prepare("INSERT INTO segment VALUES(?, ?, ?, ?, ?)")
    .run(platform, sequence, low, skew.minMs, skew.maxMs);
}

export function setSkew(catalog: DatabaseSync, entry: SegmentEntry, skew: TimeSkew): void {
  catalog
    .prepare(
      "UPDATE segment SET skew_min_ms = ?, skew_max_ms = ? WHERE platform = ? AND sequence = ?",
    )
    .run(skew.minMs, skew.maxMs, entry.platform, entry.sequence);
}

/** The key of this archive's uri hashes. */
export function readUriKey(catalog: DatabaseSync): string {
  return String(catalog.prepare("SELECT value FROM setting WHERE name = 'uri_key'").get()?.value);
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

/** What is held completely of each platform that has any post or interval. */
export function readCoverage(catalog: DatabaseSync): PlatformCoverage[] {
  const intervals = catalog
    .prepare("SELECT platform, source, from_ms, to_ms FROM coverage ORDER BY from_ms")
    .all()
    .map(
      (row): CoverageInterval => ({
        platform: row.platform as Platform,
        source: String(row.source),
        fromMs: Number(row.from_ms),
        toMs: Number(row.to_ms),
      }),
    );
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

/** Adds an interval; those of the same source that it overlaps or touches become one with it. */
export function addCoverage(catalog: DatabaseSync, interval: CoverageInterval): void {
  const { platform, source, fromMs, toMs } = interval;
  if (toMs <= fromMs) return;
  const joined = catalog
    .prepare(
      `DELETE FROM coverage WHERE platform = ? AND source = ? AND from_ms <= ? AND to_ms >= ?
       RETURNING from_ms, to_ms`,
    )
    .all(platform, source, toMs, fromMs);
  const from = Math.min(fromMs, ...joined.map((row) => Number(row.from_ms)));
  const to = Math.max(toMs, ...joined.map((row) => Number(row.to_ms)));
  catalog.prepare("INSERT INTO coverage VALUES(?, ?, ?, ?)").run(platform, source, from, to);
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
  platform: Platform,
  userId: string,
): string | null {
  const row = catalog
    .prepare(
      `SELECT handle FROM handle WHERE platform = ? AND user_id = ?
       ORDER BY observed_ms DESC, handle LIMIT 1`,
    )
    .get(platform, userId);
  return row === undefined ? null : String(row.handle);
}
