import type { DatabaseSync } from "node:sqlite";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { addPendingRewrites } from "../catalog/pending-tasks.ts";

type Finding = { sequence: number; sqliteVersion: string };

/**
 * Requests a rebuild from the posts, once per SQLite version: if the rebuilt index is unreadable
 * too, that version writes an unknown format. Requires the catalog lock.
 */
export function recordUnreadable(catalog: DatabaseSync, entry: SegmentEntry): void {
  const sqliteVersion = readSqliteVersion(catalog);
  const wasRebuilt = readFinding(catalog, entry)?.sqliteVersion === sqliteVersion;
  catalog
    .prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)")
    .run(settingName(entry), `${entry.sequence} ${sqliteVersion}`);
  if (!wasRebuilt) addPendingRewrites(catalog, [entry]);
}

export function isUnreadable(catalog: DatabaseSync, entry: SegmentEntry): boolean {
  const finding = readFinding(catalog, entry);
  return (
    finding?.sequence === entry.sequence && finding.sqliteVersion === readSqliteVersion(catalog)
  );
}

/** Clears the findings on this segment and the one it replaced. Requires the catalog lock. */
export function clearUnreadable(catalog: DatabaseSync, entry: SegmentEntry): void {
  catalog.prepare("DELETE FROM setting WHERE name = ?").run(settingName(entry));
}

const settingName = ({ platform, low }: SegmentEntry): string => `unreadable ${platform} ${low}`;

function readFinding(catalog: DatabaseSync, entry: SegmentEntry): Finding | null {
  const row = catalog.prepare("SELECT value FROM setting WHERE name = ?").get(settingName(entry));
  if (row === undefined) return null;
  const [sequence, sqliteVersion = ""] = String(row.value).split(" ");
  return { sequence: Number(sequence), sqliteVersion };
}

const readSqliteVersion = (catalog: DatabaseSync): string =>
  String(catalog.prepare("SELECT sqlite_version() AS version").get()?.version);
