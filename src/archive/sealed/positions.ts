import { SealedDamageError } from "./damage.ts";
import { seek } from "./seek.ts";

/**
 * A term's positions in the posts of one row. `bytes[n]` is the position in the post with rank n,
 * or 255 if its positions are in `list` from `starts[k]` (where `ranks[k]` is n) to an entry with
 * `lastBit`.
 */
export type Positions = {
  readonly bytes: Uint8Array;
  readonly ranks: Uint16Array | Uint32Array;
  readonly starts: Uint16Array | Uint32Array;
  readonly list: Uint16Array | Uint32Array;
  readonly lastBit: number;
  lastFound: number;
};

export const listMarker = 255;
const shortLastBit = 0x8000;
const longLastBit = 0x80000000;
const noNumbers = new Uint32Array(0);

export function readPositions(row: Uint8Array, posts: number): Positions {
  if (row.byteLength === posts) {
    return {
      bytes: row,
      ranks: noNumbers,
      starts: noNumbers,
      list: noNumbers,
      lastBit: longLastBit,
      lastFound: 0,
    };
  }
  const { buffer, byteLength, byteOffset } = row;
  if (byteLength < 8 || byteOffset % 4 !== 0) throw malformedPositions();
  const [first = 0, length = 0] = new Uint32Array(buffer, byteOffset, 2);
  const isLong = first >= longLastBit;
  const listedPosts = isLong ? first - longLastBit : first;
  const items = 2 * listedPosts + length;
  const bytesOffset = 8 + (isLong ? 4 * items : 4 * Math.ceil(items / 2));
  if (listedPosts === 0 || length < listedPosts || bytesOffset + posts !== byteLength) {
    throw malformedPositions();
  }
  const table = isLong
    ? new Uint32Array(buffer, byteOffset + 8, items)
    : new Uint16Array(buffer, byteOffset + 8, items);
  const list = table.subarray(2 * listedPosts);
  const lastBit = isLong ? longLastBit : shortLastBit;
  if (((list[length - 1] as number) & lastBit) === 0) throw malformedPositions();
  return {
    bytes: new Uint8Array(buffer, byteOffset + bytesOffset, posts),
    ranks: table.subarray(0, listedPosts),
    starts: table.subarray(listedPosts, 2 * listedPosts),
    list,
    lastBit,
    lastFound: 0,
  };
}

const malformedPositions = (): SealedDamageError =>
  new SealedDamageError("a row of positions is malformed");

export function listedPositions(starts: Uint32Array, list: Uint32Array): Positions {
  return {
    bytes: new Uint8Array(starts.length).fill(listMarker),
    ranks: Uint32Array.from(starts.keys()),
    starts,
    list,
    lastBit: longLastBit,
    lastFound: 0,
  };
}

export const lastPositionFlag = longLastBit;

export function rankStart(positions: Positions, rank: number): number {
  const { ranks, starts, list } = positions;
  const lastFound = positions.lastFound;
  const position = seek(
    ranks,
    (ranks[lastFound] as number) <= rank ? lastFound : 0,
    ranks.length,
    rank,
  );
  const start = position < ranks.length ? (starts[position] as number) : list.length;
  if (start >= list.length || ranks[position] !== rank) {
    throw new SealedDamageError("a post's positions are missing");
  }
  positions.lastFound = position;
  return start;
}

const maxScannedPositions = 12;

/** Galloping search keeps posts with many repetitions fast. */
export function occursAt(positions: Positions, rank: number, position: number): boolean {
  const singlePosition = positions.bytes[rank] as number;
  if (singlePosition !== listMarker) return singlePosition === position;
  const { list, lastBit } = positions;
  const start = rankStart(positions, rank);
  for (let index = start; index < start + maxScannedPositions; index++) {
    const item = list[index] as number;
    const value = (item & ~lastBit) >>> 0;
    if (value >= position) return value === position;
    if ((item & lastBit) !== 0) return false;
  }
  return isInLongList(positions, start + maxScannedPositions, position);
}

function isInLongList(positions: Positions, from: number, position: number): boolean {
  const end = listEnd(positions);
  if (from >= end) throw new SealedDamageError("positions are not in order");
  const index = seekPosition(positions, from, end, position);
  return index < end && positionAt(positions, index) === position;
}

function listEnd({ list, starts, lastFound }: Positions): number {
  const end = lastFound + 1 < starts.length ? (starts[lastFound + 1] as number) : list.length;
  if (end > list.length) throw new SealedDamageError("positions are not in order");
  return end;
}

export function positionRange(positions: Positions, rank: number): { from: number; end: number } {
  return { from: rankStart(positions, rank), end: listEnd(positions) };
}

export function occursTwice(positions: Positions, rank: number): boolean {
  if (positions.bytes[rank] !== listMarker) return false;
  const { from, end } = positionRange(positions, rank);
  for (let index = from + 1; index < end; index++) {
    if (positionAt(positions, index) === positionAt(positions, index - 1) + 1) return true;
  }
  return false;
}

export const positionAt = ({ list, lastBit }: Positions, index: number): number =>
  ((list[index] as number) & ~lastBit) >>> 0;

export function seekPosition(
  positions: Positions,
  from: number,
  end: number,
  position: number,
): number {
  if (from >= end || positionAt(positions, from) >= position) return from;
  let step = 1;
  while (from + step < end && positionAt(positions, from + step) < position) step *= 2;
  let low = from + (step >>> 1) + 1;
  let high = Math.min(from + step, end);
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (positionAt(positions, middle) < position) low = middle + 1;
    else high = middle;
  }
  return low;
}
