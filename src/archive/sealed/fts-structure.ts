import type { DatabaseSync } from "node:sqlite";

export type FtsPiece = {
  id: number;
  firstLeaf: number;
  lastLeaf: number;
  tombstonePages: number;
};

export const pieceShift = 37;

const ftsVersion = 4;
const structureId = 10;
/** Marks a structure record with tombstones, at the fifth byte. */
const tombstoneMarker = 0xff000001;

/**
 * The index segments, oldest first. Errors: `UnreadableFtsError`, also for the format of a later
 * SQLite.
 */
export function readFtsPieces(database: DatabaseSync): FtsPiece[] {
  const version = database.prepare("SELECT v FROM term_config WHERE k = 'version'").get()?.v;
  const block = database
    .prepare("SELECT block FROM term_data WHERE id = ?")
    .get(structureId)?.block;
  if (version !== ftsVersion) throw unreadableFts(`its version is ${version}, not ${ftsVersion}`);
  if (!(block instanceof Uint8Array)) throw unreadableFts("its structure record is missing");
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  if (block.length < 8 || view.getUint32(4) !== tombstoneMarker) {
    throw unreadableFts("its structure record is of an unknown kind");
  }
  let offset = 8;

  const record = block;
  function readVarint(): number {
    let value = 0;
    for (let bytes = 1; bytes <= 9; bytes += 1) {
      const byte = record[offset++];
      if (byte === undefined) throw unreadableFts("its structure record is truncated");
      if (bytes === 9) return value * 256 + byte;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) break;
    }
    return value;
  }

  const levelCount = readVarint();
  const pieceCount = readVarint();
  readVarint();
  const byLevel: FtsPiece[][] = [];
  for (let level = 0; level < levelCount; level += 1) {
    readVarint();
    const pieces: FtsPiece[] = [];
    for (let remaining = readVarint(); remaining > 0; remaining -= 1) {
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
  const pieces = byLevel.reverse().flat();
  if (pieces.length !== pieceCount || offset !== block.length) {
    throw unreadableFts("its structure record is inconsistent");
  }
  return pieces.filter(({ firstLeaf }) => firstLeaf > 0);
}

export class UnreadableFtsError extends Error {}

export const unreadableFts = (reason: string): UnreadableFtsError =>
  new UnreadableFtsError(
    `the segment cannot be sealed because its FTS5 index is damaged or has an unknown format: ${reason}. Searches continue to use FTS5; \`earshot archive check\` examines it, and \`earshot archive reindex\` rebuilds it`,
  );
