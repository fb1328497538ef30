import type { DatabaseSync } from "node:sqlite";
import { EarshotError, errorMessage } from "../../lib/errors.ts";
import { inTransaction } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { type CatalogDamage, catalogDamage, damagedTablesAmong } from "./checksums.ts";

/** Without this table, answers are correct but incomplete. */
const coverageTable = "interval";

const startupTables = ["sqlite_schema", "setting", "segment", "retired"];

/** Errors: `archive_damaged`. */
export function requireIntactStartupTables(catalog: DatabaseSync, path: string): void {
  const tables = damagedTablesAmong(catalog, startupTables);
  if (tables.length > 0) throw damagedCatalog(path, { tables, structure: [] });
}

/**
 * Rebuilds damaged indexes and drops damaged coverage, and returns a warning for each. Errors:
 * `archive_damaged`.
 */
export function requireIntactCatalog(catalog: DatabaseSync, path: string): string[] {
  const damage = catalogDamage(catalog);
  if (isIntact(damage)) return [];
  if (damage.tables.some((name) => name !== coverageTable)) throw damagedCatalog(path, damage);
  try {
    if (damage.tables.length > 0) dropCoverage(catalog);
    if (damage.structure.length > 0) inTransaction(catalog, () => catalog.exec("REINDEX"));
  } catch (error) {
    if (!isDamage(error)) throw error;
    throw damagedCatalog(path, { ...damage, structure: [errorMessage(error)] });
  }
  const remainingDamage = catalogDamage(catalog);
  if (!isIntact(remainingDamage)) throw damagedCatalog(path, remainingDamage);
  return [
    ...(damage.tables.length === 0
      ? []
      : [
          `the coverage table in ${path} was damaged and has been reset: answers about the past are incomplete until a backfill or import covers it again, or a backup is restored`,
        ]),
    ...(damage.structure.length === 0 ? [] : [`damaged indexes in ${path} have been rebuilt`]),
  ];
}

export const isIntact = ({ tables, structure }: CatalogDamage): boolean =>
  tables.length === 0 && structure.length === 0;

/** Avoids `inTransaction`, which would add the damage to the checksum. */
const dropCoverage = (catalog: DatabaseSync): void =>
  catalog.exec(
    `BEGIN IMMEDIATE; DELETE FROM ${coverageTable};
     UPDATE catalog_sum SET rows = 0, sum = 0 WHERE name = '${coverageTable}'; COMMIT`,
  );

function damagedCatalog(path: string, { tables, structure }: CatalogDamage): EarshotError {
  const detail = tables.length > 0 ? `checksum mismatch: ${tables.join(", ")}` : structure[0];
  return new EarshotError("archive_damaged", `${path} is damaged (${detail})`, {
    status: 503,
    hint: "stop the server and restore a backup, or run earshot archive recover, which rebuilds the catalog from the segments",
  });
}
