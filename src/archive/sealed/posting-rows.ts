import type { DatabaseSync } from "node:sqlite";
import { SealedDamage } from "./damage.ts";
import type { PostingRows } from "./posting-list.ts";
import { assertSum, sealedRowSum } from "./sums.ts";

export function postingRowsOf(
  database: DatabaseSync,
  { posts, isSummed }: { posts: number; isSummed: boolean },
): PostingRows {
  function reader(table: "docs" | "positions"): (row: number) => Uint8Array {
    const sum = isSummed ? "sum" : "NULL";
    const select = database.prepare(`SELECT ${table}, ${sum} FROM sealed_${table} WHERE row = ?`);
    select.setReturnArrays(true);
    return (row) => {
      const [blob, stored] = (select.get(row) ?? []) as unknown as unknown[];
      if (!(blob instanceof Uint8Array)) {
        throw new SealedDamage(`row ${row} of the postings is missing`);
      }
      if (isSummed) assertSum(stored, sealedRowSum(table, row, blob), `row ${row} of the ${table}`);
      return blob;
    };
  }

  return { posts, docs: reader("docs"), positions: reader("positions") };
}
