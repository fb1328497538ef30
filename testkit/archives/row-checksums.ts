import type { DatabaseSync } from "node:sqlite";
import { defineRowChecksum, postRowChecksumSql } from "../../src/archive/segments/checked-rows.ts";
import { updateTableChecksums } from "../../src/archive/segments/table-checksums.ts";

export function updateRowChecksums(database: DatabaseSync): void {
  defineRowChecksum(database);
  database.exec(
    `UPDATE post SET sum = ${postRowChecksumSql} WHERE sum IS NOT ${postRowChecksumSql}`,
  );
  for (const _ of updateTableChecksums(database));
}
