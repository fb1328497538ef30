import type { DatabaseSync } from "node:sqlite";
import { fillCatalogSums } from "../../src/archive/catalog/sums.ts";
import { inTransaction } from "../../src/archive/database.ts";

export const changeCatalog = (catalog: DatabaseSync, sql: string): void =>
  inTransaction(catalog, () => catalog.exec(sql));

export function sumCatalog(catalog: DatabaseSync): void {
  catalog.exec("DELETE FROM catalog_sum");
  fillCatalogSums(catalog);
}
