import type { DatabaseSync } from "node:sqlite";
import { defineRowSum, rowSumSql } from "../../src/archive/segments/row-sum.ts";

/** Gives the rows of a segment, open for writing, the checksums of what they hold now. */
export function sumRows(database: DatabaseSync): void {
  defineRowSum(database);
  database.exec(`UPDATE post SET sum = ${rowSumSql} WHERE sum IS NOT ${rowSumSql}`);
}
