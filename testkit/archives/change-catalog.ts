import type { DatabaseSync } from "node:sqlite";
import { fillCatalogSums } from "../../src/archive/catalog/sums.ts";
import { inTransaction } from "../../src/archive/database.ts";

/** Changes an opened catalog and updates its checksums, as the service does. */
export const changeCatalog = (catalog: DatabaseSync, sql: string): void =>
  inTransaction(catalog, () => catalog.exec(sql));

/** Recomputes the checksums of a catalog after a direct change. */
export function sumCatalog(catalog: DatabaseSync): void {
  catalog.exec("DELETE FROM catalog_sum");
  fillCatalogSums(catalog);
}
