import type { DatabaseSync } from "node:sqlite";
import { fillCatalogChecksums } from "../../src/archive/catalog/checksums.ts";
import { inTransaction } from "../../src/archive/database.ts";

export const changeCatalog = (catalog: DatabaseSync, sql: string): void =>
  inTransaction(catalog, () => catalog.exec(sql));

export function updateCatalogChecksums(catalog: DatabaseSync): void {
  catalog.exec("DELETE FROM catalog_sum");
  fillCatalogChecksums(catalog);
}
