import type { DatabaseSync } from "node:sqlite";
import { fillCatalogSums } from "../../src/archive/catalog/sums.ts";
import { inTransaction } from "../../src/archive/database.ts";

/** Changes a catalog that `openCatalog` opened, as the service does: its sums follow. */
export const changeCatalog = (catalog: DatabaseSync, sql: string): void =>
  inTransaction(catalog, () => catalog.exec(sql));

/** Gives a catalog, on any connection, the sums of what it contains now: a change is taken for one that was written. */
export function sumCatalog(catalog: DatabaseSync): void {
  catalog.exec("DELETE FROM catalog_sum");
  fillCatalogSums(catalog);
}
