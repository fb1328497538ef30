import type { DatabaseSync } from "node:sqlite";
import type { NumberLookup } from "./doc-number-lookup.ts";
import { type FtsPiece, pieceShift, unreadable } from "./fts-structure.ts";

/** Added to the number of a piece in the IDs of the rows that name posts deleted from it. */
const tombstonePieces = 65_536;

/** Pages that name deleted posts, read in one step. */
const pagesOfStep = 64;

/** A bit for each post that was deleted from a piece, by number; null where none were. */
export function* readDeleted(
  database: DatabaseSync,
  { id, tombstonePages }: FtsPiece,
  posts: number,
  lookup: NumberLookup,
): Generator<"worked", Uint32Array | null> {
  if (tombstonePages === 0) return null;
  const deleted = new Uint32Array(Math.ceil(posts / 32));
  const mark = (number: number): void => {
    if (number >= 0)
      deleted[number >>> 5] = (deleted[number >>> 5] as number) | (1 << (number & 31));
  };
  const read = database.prepare("SELECT block FROM term_data WHERE id = ?");
  // Beyond 2 ** 53: no number of JavaScript holds it exactly.
  const first = BigInt(id + tombstonePieces) << BigInt(pieceShift);
  for (let page = 0; page < tombstonePages; page += 1) {
    const block = read.get(first + BigInt(page))?.block;
    if (!(block instanceof Uint8Array)) throw unreadable("a page of deleted posts is missing");
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    const bytesOfKey = view.getUint8(0);
    if (bytesOfKey !== 4 && bytesOfKey !== 8)
      throw unreadable("a page of deleted posts is malformed");
    // A free place is zero, so that the post of this ID is marked in the head.
    if (page === 0 && view.getUint8(1) !== 0) mark(lookup(0, 0));
    for (let at = 8; at + bytesOfKey <= block.length; at += bytesOfKey) {
      const high = bytesOfKey === 8 ? view.getInt32(at) : 0;
      const low = view.getUint32(at + bytesOfKey - 4);
      if (high !== 0 || low !== 0) mark(lookup(high, low));
    }
    if (page % pagesOfStep === pagesOfStep - 1) yield "worked";
  }
  return deleted;
}
