import type { DatabaseSync } from "node:sqlite";
import { EarshotError } from "../lib/errors.ts";
import { analyzerVersion } from "../text/analyze.ts";
import { catalogCacheKib, catalogPath, catalogSchema } from "./catalog.ts";
import { inTransaction, openForWriting } from "./database.ts";

/**
 * Opens the catalog of an archive for writing, makes it when there is none. Errors: `archive_outdated` where an earlier analyzer
 * made the terms of the posts, so that queries would miss some of them; `newer_schema` where a later one did.
 */
export function openCatalog(folder: string): DatabaseSync {
  const catalog = openForWriting(catalogPath(folder), catalogSchema, catalogCacheKib);
  try {
    if (readAnalyzer(catalog) !== analyzerVersion) {
      inTransaction(catalog, () => adoptAnalyzer(catalog, folder));
    }
  } catch (error) {
    catalog.close();
    throw error;
  }
  return catalog;
}

/** Throws as `openCatalog` does. For those who keep a catalog open while processes of other versions come and go. */
export function requireAnalyzer(catalog: DatabaseSync, folder: string): void {
  const found = readAnalyzer(catalog);
  if (found === analyzerVersion) return;
  if (found > analyzerVersion) {
    throw new EarshotError("newer_schema", `${folder} was written by a later version of Earshot`, {
      hint: "run that version, or another data folder",
    });
  }
  throw new EarshotError(
    "archive_outdated",
    `${folder} was indexed by an earlier version of Earshot, and searches would miss some of its posts`,
    {
      hint: "move this folder away and import the files again; what is streamed comes anew as it is posted",
    },
  );
}

/** An archive that no post has come to yet has nothing that is outdated. */
function adoptAnalyzer(catalog: DatabaseSync, folder: string): void {
  const isEmpty = catalog.prepare("SELECT 1 FROM segment LIMIT 1").get() === undefined;
  if (!isEmpty || readAnalyzer(catalog) > analyzerVersion) {
    requireAnalyzer(catalog, folder);
    return;
  }
  catalog
    .prepare("INSERT OR REPLACE INTO setting VALUES('analyzer', ?)")
    .run(String(analyzerVersion));
}

/** The version of the analyzer that made the terms of all posts; 0 where it was not noted. */
function readAnalyzer(catalog: DatabaseSync): number {
  const row = catalog.prepare("SELECT value FROM setting WHERE name = 'analyzer'").get();
  return row === undefined ? 0 : Number(row.value);
}
