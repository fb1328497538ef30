import type { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { schemaVersion } from "../../../db/connection.ts";
import { catalogPath, readUriKey } from "../../catalog/catalog.ts";
import { damagedCatalogTables } from "../../catalog/checksums.ts";
import { catalogMigrations } from "../../catalog/schema.ts";
import { openForReading } from "../../database.ts";

/**
 * Tables whose rows stay valid or are resent by sources. Coverage is dropped, because posts in it
 * may be missing.
 */
const tables = ["tombstone", "handle", "account", "label", "alias", "checkpoint"];

/** Copied even if damaged: a wrong row reveals fewer hidden posts than a missing table. */
const hidingTables: ReadonlySet<string> = new Set(["tombstone", "account", "label"]);

export type FormerCatalog = {
  uriKey: string | null;
  commitNumber: number;
};

export function readFormerCatalog(folder: string): FormerCatalog {
  try {
    const catalog = openForReading(catalogPath(folder), 1_000);
    try {
      if (schemaVersion(catalog) === 0) return { uriKey: null, commitNumber: 0 };
      const row = catalog.prepare("SELECT value FROM setting WHERE name = 'commit_number'").get();
      return { uriKey: readUriKey(catalog), commitNumber: Number(row?.value ?? 0) };
    } finally {
      catalog.close();
    }
  } catch {
    return { uriKey: null, commitNumber: 0 };
  }
}

/** Copies usable tables and returns their names. */
export function copyFormerTables(catalog: DatabaseSync, folder: string): string[] {
  const damagedNames = damagedTables(folder);
  try {
    catalog.prepare("ATTACH ? AS former").run(`${pathToFileURL(catalogPath(folder))}?mode=ro`);
  } catch {
    return [];
  }
  try {
    const version = catalog.prepare("PRAGMA former.user_version").get()?.user_version;
    if (version !== catalogMigrations.length) return [];
    const usableTables = tables.filter(
      (table) => hidingTables.has(table) || !damagedNames.has(table),
    );
    const copiedTables = usableTables.filter((table) =>
      // Without a condition, SQLite would copy even unreadable rows, byte by byte.
      tryExec(
        catalog,
        `INSERT OR IGNORE INTO main.${table} SELECT * FROM former.${table} WHERE true`,
      ),
    );
    if (damagedNames.has("setting")) return copiedTables;
    tryExec(
      catalog,
      "INSERT OR IGNORE INTO main.setting SELECT * FROM former.setting WHERE name LIKE 'aged_out %'",
    );
    return copiedTables;
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

/** False, without any effect, if the statement fails. */
function tryExec(catalog: DatabaseSync, sql: string): boolean {
  try {
    catalog.exec(sql);
    return true;
  } catch {
    return false;
  }
}
