import type { DatabaseSync, StatementSync } from "node:sqlite";
import { SealedDamage } from "./damage.ts";
import type { PostingRows } from "./posting-list.ts";

/** The rows of a sealed segment of so many posts. */
export function postingRowsOf(database: DatabaseSync, posts: number): PostingRows {
  const docs = database.prepare("SELECT docs FROM sealed_docs WHERE row = ?");
  docs.setReturnArrays(true);
  const positions = database.prepare("SELECT positions FROM sealed_positions WHERE row = ?");
  positions.setReturnArrays(true);
  return {
    posts,
    docs: (row) => blobAt(docs, row),
    positions: (row) => blobAt(positions, row),
  };
}

function blobAt(statement: StatementSync, row: number): Uint8Array {
  const values: unknown = statement.get(row);
  const blob: unknown = Array.isArray(values) ? values[0] : null;
  if (blob instanceof Uint8Array) return blob;
  throw new SealedDamage(`row ${row} of the postings is missing`);
}
