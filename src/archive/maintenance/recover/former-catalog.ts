import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { catalogPath, readUriKey } from "../../catalog/catalog.ts";
import { catalogMigrations } from "../../catalog/schema.ts";
import { damagedCatalogTables } from "../../catalog/sums.ts";
import { openForReading, versionOf } from "../../database.ts";

/**
 * What an older catalog of the same archive says that stays true, or that a source repeats from: deletions, accounts, labels,
 * names, and how far each source had come. Coverage is not taken over, as what it claims may be gone since.
 */
const tables = ["tombstone", "handle", "account", "label", "alias", "checkpoint"];

/** Taken over even where they are damaged: a list that is wrong in one row hides more of what must stay hidden than none. */
const hiding: ReadonlySet<string> = new Set(["tombstone", "account", "label"]);

export type FormerCatalog = {
  /** Null where it cannot be read. */
  uriKey: string | null;
  commitNumber: number;
};

export function readFormerCatalog(folder: string): FormerCatalog {
  try {
    const catalog = openForReading(catalogPath(folder), 1_000);
    try {
      if (versionOf(catalog) === 0) return { uriKey: null, commitNumber: 0 };
      const row = catalog.prepare("SELECT value FROM setting WHERE name = 'commit_number'").get();
      return { uriKey: readUriKey(catalog), commitNumber: Number(row?.value ?? 0) };
    } finally {
      catalog.close();
    }
  } catch {
    return { uriKey: null, commitNumber: 0 };
  }
}

/** Takes over what can be read of the former catalog; the names of the tables that were. */
export function takeOver(catalog: DatabaseSync, folder: string): string[] {
  const damaged = damagedTables(folder);
  try {
    catalog.prepare("ATTACH ? AS former").run(`${pathToFileURL(catalogPath(folder))}?mode=ro`);
  } catch {
    return [];
  }
  try {
    const version = catalog.prepare("PRAGMA former.user_version").get()?.user_version;
    if (version !== catalogMigrations.length) return [];
    const usable = tables.filter((table) => hiding.has(table) || !damaged.has(table));
    const taken = usable.filter((table) =>
      // Without a condition SQLite copies the bytes of rows that it could not read.
      isDone(
        catalog,
        `INSERT OR IGNORE INTO main.${table} SELECT * FROM former.${table} WHERE true`,
      ),
    );
    if (damaged.has("setting")) return taken;
    isDone(
      catalog,
      "INSERT OR IGNORE INTO main.setting SELECT * FROM former.setting WHERE name LIKE 'aged_out %'",
    );
    return taken;
  } catch {
    return [];
  } finally {
    catalog.exec("DETACH former");
  }
}

function damagedTables(folder: string): ReadonlySet<string> {
  try {
    const catalog = openForReading(catalogPath(folder), 1_000);
    try {
      return new Set(damagedCatalogTables(catalog));
    } finally {
      catalog.close();
    }
  } catch {
    return new Set([...tables, "setting"]);
  }
}

/** One statement: all of it, or nothing where a page cannot be read. */
function isDone(catalog: DatabaseSync, sql: string): boolean {
  try {
    catalog.exec(sql);
    return true;
  } catch {
    return false;
  }
}
