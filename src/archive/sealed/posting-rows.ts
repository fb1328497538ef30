import type { DatabaseSync } from "node:sqlite";
import { assertChecksum, sealedRowChecksum } from "./checksums.ts";
import { SealedDamageError } from "./damage.ts";
import type { PostingRows } from "./posting-list.ts";

export function openPostingRows(
  database: DatabaseSync,
  { posts, hasChecksums }: { posts: number; hasChecksums: boolean },
): PostingRows {
  function reader(table: "docs" | "positions"): (row: number) => Uint8Array {
    const sumColumn = hasChecksums ? "sum" : "NULL";
    const select = database.prepare(
      `SELECT ${table}, ${sumColumn} FROM sealed_${table} WHERE row = ?`,
    );
    select.setReturnArrays(true);
    return (row) => {
      const [blob, storedChecksum] = (select.get(row) ?? []) as unknown as unknown[];
      if (!(blob instanceof Uint8Array)) {
        throw new SealedDamageError(`row ${row} of sealed_${table} is missing`);
      }
      if (hasChecksums)
        assertChecksum(
          storedChecksum,
          sealedRowChecksum(table, row, blob),
          `row ${row} of sealed_${table}`,
        );
      return blob;
    };
  }

  return { posts, docs: reader("docs"), positions: reader("positions") };
}
