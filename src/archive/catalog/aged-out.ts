import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { CoverageInterval } from "../archive.ts";

const settingName = (platform: Platform): string => `aged_out ${platform}`;

/**
 * The time before which streamed posts have expired, Unix milliseconds; null if none. Later copies
 * of them are rejected, and no coverage includes them. Imports stay.
 */
export function agedOutMs(catalog: DatabaseSync, platform: Platform): number | null {
  const row = catalog
    .prepare("SELECT value FROM setting WHERE name = ?")
    .get(settingName(platform));
  return row === undefined ? null : Number(row.value);
}

export function putAgedOut(catalog: DatabaseSync, platform: Platform, ms: number | null): void {
  if (ms === null) {
    catalog.prepare("DELETE FROM setting WHERE name = ?").run(settingName(platform));
    return;
  }
  catalog
    .prepare("INSERT INTO setting VALUES(?, ?) ON CONFLICT DO UPDATE SET value = excluded.value")
    .run(settingName(platform), String(ms));
}

const importSource = "import";

export function withoutAgedOut(
  catalog: DatabaseSync,
  interval: CoverageInterval,
): CoverageInterval {
  const agedMs = interval.source === importSource ? null : agedOutMs(catalog, interval.platform);
  if (agedMs === null || interval.fromMs >= agedMs) return interval;
  return { ...interval, fromMs: agedMs };
}

/** Does not cut the coverage of imports. */
export function cutCoverage(catalog: DatabaseSync, platform: Platform, ms: number): void {
  catalog
    .prepare("DELETE FROM interval WHERE platform = ? AND source <> ? AND to_ms <= ?")
    .run(platform, importSource, ms);
  catalog
    .prepare("UPDATE interval SET from_ms = ? WHERE platform = ? AND source <> ? AND from_ms < ?")
    .run(ms, platform, importSource, ms);
}
