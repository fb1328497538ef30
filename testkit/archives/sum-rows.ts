import type { DatabaseSync } from "node:sqlite";
import { defineRowSum, rowSumSql } from "../../src/archive/segments/row-sum.ts";
import { sumTables } from "../../src/archive/segments/table-sums.ts";

export function sumRows(database: DatabaseSync): void {
  defineRowSum(database);
  database.exec(`UPDATE post SET sum = ${rowSumSql} WHERE sum IS NOT ${rowSumSql}`);
  for (const _ of sumTables(database));
}
