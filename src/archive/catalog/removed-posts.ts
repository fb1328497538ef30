import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { CoverageInterval } from "../archive.ts";
import type { CatalogAccounts } from "./accounts.ts";

/** Sorts after every revision that a source assigns. */
export const forgottenRevision = "~";

export const maxDateMs = 8_640_000_000_000_000;

/** Prevents replays and imports from restoring deleted posts. */
export type Tombstones = {
  add(deletedPost: { uri: string; revision: string }): void;
  covers(post: DatedPost): boolean;
};

type DatedPost = { uri: string; revision: string; userId: string | null; observedMs: number };

export function openTombstones(
  catalog: DatabaseSync,
  platform: Platform,
  accounts: CatalogAccounts,
): Tombstones {
  const insertTombstone = catalog.prepare(
    `INSERT INTO tombstone VALUES(?, ?, ?)
     ON CONFLICT DO UPDATE SET revision = max(revision, excluded.revision)`,
  );
  const selectTombstone = catalog.prepare(
    "SELECT revision FROM tombstone WHERE platform = ? AND uri = ?",
  );
  const hasAccounts = accounts.hasAny(platform);
  let isEmpty =
    catalog.prepare("SELECT 1 FROM tombstone WHERE platform = ? LIMIT 1").get(platform) ===
    undefined;
  return {
    add: ({ uri, revision }) => {
      isEmpty = false;
      insertTombstone.run(platform, uri, revision);
    },
    covers: ({ uri, revision, userId, observedMs }) => {
      const account = userId === null || !hasAccounts ? null : accounts.read(platform, userId);
      const deletedMs = account?.deletedMs ?? null;
      if (deletedMs !== null && observedMs <= deletedMs) return true;
      if (isEmpty) return false;
      const row = selectTombstone.get(platform, uri);
      return row !== undefined && String(row.revision) >= revision;
    },
  };
}

const settingName = (platform: Platform): string => `aged_out ${platform}`;

/**
 * Posts before this time have expired, except for imports: later copies are rejected, and only
 * imports cover that time. Unix milliseconds; null if late posts are accepted.
 */
export function expiredBeforeMs(catalog: DatabaseSync, platform: Platform): number | null {
  const row = catalog
    .prepare("SELECT value FROM setting WHERE name = ?")
    .get(settingName(platform));
  return row === undefined ? null : Number(row.value);
}

export function putExpiredBefore(
  catalog: DatabaseSync,
  platform: Platform,
  ms: number | null,
): void {
  if (ms === null) {
    catalog.prepare("DELETE FROM setting WHERE name = ?").run(settingName(platform));
    return;
  }
  catalog
    .prepare("INSERT INTO setting VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(settingName(platform), String(ms));
}

const importSource = "import";

export function withoutExpired(
  catalog: DatabaseSync,
  interval: CoverageInterval,
): CoverageInterval {
  const expiredMs =
    interval.source === importSource ? null : expiredBeforeMs(catalog, interval.platform);
  if (expiredMs === null || interval.fromMs >= expiredMs) return interval;
  return { ...interval, fromMs: expiredMs };
}

export function cutCoverage(catalog: DatabaseSync, platform: Platform, ms: number): void {
  catalog
    .prepare("DELETE FROM interval WHERE platform = ? AND source <> ? AND to_ms <= ?")
    .run(platform, importSource, ms);
  catalog
    .prepare("UPDATE interval SET from_ms = ? WHERE platform = ? AND source <> ? AND from_ms < ?")
    .run(ms, platform, importSource, ms);
}
