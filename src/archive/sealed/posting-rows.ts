import type { DatabaseSync } from "node:sqlite";
import { assertChecksum, sealedRowChecksum } from "./checksums.ts";
import { SealedDamage } from "./damage.ts";
import type { PostingRows } from "./posting-list.ts";

export function openPostingRows(
  database: DatabaseSync,
  { posts, hasChecksums }: { posts: number; hasChecksums: boolean },
): PostingRows {
  function reader(table: "docs" | "positions"): (row: number) => Uint8Array {
    const sum = hasChecksums ? "sum" : "NULL";
    const select = database.prepare(`SELECT ${table}, ${sum} FROM sealed_${table} WHERE row = ?`);
    select.setReturnArrays(true);
    return (row) => {
      const [blob, stored] = (select.get(row) ?? []) as unknown as unknown[];
      if (!(blob instanceof Uint8Array)) {
        throw new SealedDamage(`row ${row} of the ${table} is missing`);
      }
      if (hasChecksums)
        assertChecksum(stored, sealedRowChecksum(table, row, blob), `row ${row} of the ${table}`);
      return blob;
    };
  }

  return { posts, docs: reader("docs"), positions: reader("positions") };
}
