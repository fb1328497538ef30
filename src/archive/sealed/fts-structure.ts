import type { DatabaseSync } from "node:sqlite";

/** A piece of an FTS5 index: the leaves that hold its terms, and how many pages name the posts deleted from it. */
export type FtsPiece = {
  id: number;
  firstLeaf: number;
  lastLeaf: number;
  tombstonePages: number;
};

/** Bits below the number of a piece in the IDs of FTS5's rows. */
export const pieceShift = 37;

/** The version of FTS5's files that is read here, in its table of settings. */
const ftsVersion = 4;
/** Under which FTS5 keeps the record of its pieces. */
const structureId = 10;
/** How the record begins, behind a number of four bytes, where posts may be deleted from an index without content. */
const withTombstones = 0xff000001;

/**
 * The pieces of the FTS5 table `term`, oldest first. Throws where it has a form that is not read here, which a later SQLite may
 * give it.
 */
export function readFtsPieces(database: DatabaseSync): FtsPiece[] {
  const version = database.prepare("SELECT v FROM term_config WHERE k = 'version'").get()?.v;
  const block = database
    .prepare("SELECT block FROM term_data WHERE id = ?")
    .get(structureId)?.block;
  if (version !== ftsVersion) throw unreadable(`its version is ${version}, not ${ftsVersion}`);
  if (!(block instanceof Uint8Array)) throw unreadable("the record of its pieces is missing");
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  if (block.length < 8 || view.getUint32(4) !== withTombstones) {
    throw unreadable("the record of its pieces is of another kind");
  }
  let at = 8;

  const record = block;
  /** SQLite's varint: seven bits a byte, the highest first, and eight in a ninth. */
  function readVarint(): number {
    let value = 0;
    for (let bytes = 1; bytes <= 9; bytes += 1) {
      const byte = record[at++];
      if (byte === undefined) throw unreadable("the record of its pieces is cut off");
      if (bytes === 9) return value * 256 + byte;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return value;
  }

  const levels = readVarint();
  const all = readVarint();
  readVarint();
  const byLevel: FtsPiece[][] = [];
  for (let level = 0; level < levels; level += 1) {
    readVarint();
    const pieces: FtsPiece[] = [];
    for (let left = readVarint(); left > 0; left -= 1) {
      const [id, firstLeaf, lastLeaf] = [readVarint(), readVarint(), readVarint()];
      readVarint();
      readVarint();
      const tombstonePages = readVarint();
      readVarint();
      readVarint();
      pieces.push({ id, firstLeaf, lastLeaf, tombstonePages });
    }
    byLevel.push(pieces);
  }
  // What is merged goes up a level: the highest one has what is oldest.
  const pieces = byLevel.reverse().flat();
  if (pieces.length !== all || at !== block.length) {
    throw unreadable("the record of its pieces contradicts itself");
  }
  return pieces.filter(({ firstLeaf }) => firstLeaf > 0);
}

/** An FTS5 index is damaged, or of a form that is not read here. */
export class UnreadableFts extends Error {}

/** Says what was found in place of what is read here. */
export const unreadable = (what: string): UnreadableFts =>
  new UnreadableFts(
    `the segment cannot be sealed, as its FTS5 index is damaged or of a form that this version does not know: ${what}. FTS5 goes on answering; \`earshot archive check\` tells whether it is whole, and \`earshot archive reindex\` makes it anew`,
  );
