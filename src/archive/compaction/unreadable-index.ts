import type { DatabaseSync } from "node:sqlite";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { wantRewrites } from "../catalog/pending-rewrites.ts";

/** For which file it was found, and by which SQLite. */
type Finding = { sequence: number; sqlite: string };

/**
 * Notes that a segment could not be sealed as its FTS5 index cannot be read. The first time its index is wanted anew, from its
 * posts. Where it was made anew and cannot be read again, this SQLite writes a form that is not known here, and another time would
 * not help. The caller holds the catalog's lock.
 */
export function noteUnreadable(catalog: DatabaseSync, entry: SegmentEntry): void {
  const sqlite = sqliteOf(catalog);
  const wasMadeAnew = findingOf(catalog, entry)?.sqlite === sqlite;
  catalog
    .prepare("INSERT OR REPLACE INTO setting VALUES (?, ?)")
    .run(nameOf(entry), `${entry.sequence} ${sqlite}`);
  if (!wasMadeAnew) wantRewrites(catalog, [entry]);
}

/** Whether there is no sense in sealing a segment, as that was tried with this very file and this very SQLite. */
export function isUnreadable(catalog: DatabaseSync, entry: SegmentEntry): boolean {
  const found = findingOf(catalog, entry);
  return found?.sequence === entry.sequence && found.sqlite === sqliteOf(catalog);
}

/** Forgets what was noted of a segment, or of the one in whose place it is. The caller holds the catalog's lock. */
export function forgetUnreadable(catalog: DatabaseSync, entry: SegmentEntry): void {
  catalog.prepare("DELETE FROM setting WHERE name = ?").run(nameOf(entry));
}

/** The file that is made anew has another number, and begins with the same ID. */
const nameOf = ({ platform, low }: SegmentEntry): string => `unreadable ${platform} ${low}`;

function findingOf(catalog: DatabaseSync, entry: SegmentEntry): Finding | null {
  const row = catalog.prepare("SELECT value FROM setting WHERE name = ?").get(nameOf(entry));
  if (row === undefined) return null;
  const [sequence, sqlite = ""] = String(row.value).split(" ");
  return { sequence: Number(sequence), sqlite };
}

const sqliteOf = (catalog: DatabaseSync): string =>
  String(catalog.prepare("SELECT sqlite_version() AS version").get()?.version);
