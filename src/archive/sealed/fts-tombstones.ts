import type { DatabaseSync } from "node:sqlite";
import type { DocNumberLookup } from "./doc-number-lookup.ts";
import { type FtsPiece, pieceShift, unreadableFts } from "./fts-structure.ts";

const tombstoneIdOffset = 65_536;

const pagesPerStep = 64;

export function* readDeletedPosts(
  database: DatabaseSync,
  { id, tombstonePages }: FtsPiece,
  posts: number,
  lookup: DocNumberLookup,
): Generator<"worked", Uint32Array | null> {
  if (tombstonePages === 0) return null;
  const deletedBits = new Uint32Array(Math.ceil(posts / 32));
  const mark = (number: number): void => {
    if (number >= 0)
      deletedBits[number >>> 5] = (deletedBits[number >>> 5] as number) | (1 << (number & 31));
  };
  const selectBlock = database.prepare("SELECT block FROM term_data WHERE id = ?");
  const firstPageId = BigInt(id + tombstoneIdOffset) << BigInt(pieceShift);
  for (let page = 0; page < tombstonePages; page += 1) {
    const block = selectBlock.get(firstPageId + BigInt(page))?.block;
    if (!(block instanceof Uint8Array)) throw unreadableFts("a page of deleted posts is missing");
    const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
    const keyBytes = view.getUint8(0);
    if (keyBytes !== 4 && keyBytes !== 8)
      throw unreadableFts("a page of deleted posts is malformed");
    // Zero marks an empty entry, so a header flag represents ID 0.
    if (page === 0 && view.getUint8(1) !== 0) mark(lookup(0, 0));
    for (let offset = 8; offset + keyBytes <= block.length; offset += keyBytes) {
      const high = keyBytes === 8 ? view.getInt32(offset) : 0;
      const low = view.getUint32(offset + keyBytes - 4);
      if (high !== 0 || low !== 0) mark(lookup(high, low));
    }
    if (page % pagesPerStep === pagesPerStep - 1) yield "worked";
  }
  return deletedBits;
}
