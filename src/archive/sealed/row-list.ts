import { alignedTo64Bits, type ByteReader, readVarint } from "./bytes.ts";
import { bitmapSet, type ChunkSet, countBits, emptySet, listSet } from "./chunk-set.ts";
import { SealedDamageError } from "./damage.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import {
  chunkCount,
  containerBytes,
  minBitmapPosts,
  postsIn,
  postsPerChunk,
  wordsPerBitmap,
} from "./format.ts";
import { type Positions, readPositions } from "./positions.ts";
import {
  assertPositional,
  listOverheadBytes,
  type PostingList,
  type PostingRows,
  positionsOverheadBytes,
} from "./posting-list.ts";

const setOverheadBytes = 250;

type RowCounts = { counts: Uint32Array; firstRow: number };

function readCounts({ posts, body }: DictionaryEntry, totalPosts: number): RowCounts {
  const reader: ByteReader = { bytes: body, offset: 0 };
  const firstRow = readVarint(reader);
  const counts = new Uint32Array(chunkCount(totalPosts));
  let total = 0;
  for (let chunk = 0; chunk < counts.length; chunk++) {
    const count = readVarint(reader);
    if (count > postsIn(chunk, totalPosts)) {
      throw new SealedDamageError("a term lists more posts than a chunk contains");
    }
    counts[chunk] = count;
    total += count;
  }
  if (total !== posts) throw new SealedDamageError("a term's posts per chunk do not add up");
  return { counts, firstRow };
}

export function rowPerChunkList(
  entry: DictionaryEntry,
  rows: PostingRows,
  grow: (bytes: number) => void,
): PostingList {
  const { counts, firstRow } = readCounts(entry, rows.posts);
  const sets: (ChunkSet | undefined)[] = Array.from(counts, () => undefined);
  const positions: (Positions | undefined)[] = Array.from(counts, () => undefined);
  grow(listOverheadBytes + 20 * counts.length);

  function readSet(chunk: number): ChunkSet {
    const count = counts[chunk] as number;
    if (count === 0) return emptySet;
    const bytes = alignedTo64Bits(rows.docs(firstRow + chunk));
    assertLength(bytes, containerBytes(count));
    grow(bytes.byteLength + setOverheadBytes);
    return readContainer(bytes, 0, count, postsIn(chunk, rows.posts), chunk, 0);
  }

  return {
    counts,
    set(chunk) {
      const cachedSet = sets[chunk];
      if (cachedSet !== undefined) return cachedSet;
      const set = readSet(chunk);
      sets[chunk] = set;
      return set;
    },
    positions({ row }) {
      const cachedPositions = positions[row];
      if (cachedPositions !== undefined) return cachedPositions;
      assertPositional(entry.isPositional);
      const bytes = alignedTo64Bits(rows.positions(firstRow + row));
      grow(bytes.byteLength + positionsOverheadBytes);
      const chunkPositions = readPositions(bytes, counts[row] as number);
      positions[row] = chunkPositions;
      return chunkPositions;
    },
  };
}

export function oneRowList(
  entry: DictionaryEntry,
  rows: PostingRows,
  grow: (bytes: number) => void,
): PostingList {
  const { counts, firstRow } = readCounts(entry, rows.posts);
  let sets: ChunkSet[] | null = null;
  let positions: Positions | null = null;
  grow(listOverheadBytes + 4 * counts.length);

  function readSets(): ChunkSet[] {
    const bytes = alignedTo64Bits(rows.docs(firstRow));
    const chunkSets: ChunkSet[] = [];
    let offset = 0;
    let base = 0;
    for (let chunk = 0; chunk < counts.length; chunk++) {
      const count = counts[chunk] as number;
      const length = count === 0 ? 0 : containerBytes(count);
      if (offset + length > bytes.byteLength) throw wrongLength();
      chunkSets.push(
        count === 0
          ? emptySet
          : readContainer(bytes, offset, count, postsIn(chunk, rows.posts), 0, base),
      );
      offset += length;
      base += count;
    }
    assertLength(bytes, offset);
    grow(bytes.byteLength + setOverheadBytes * counts.length);
    return chunkSets;
  }

  return {
    counts,
    set(chunk) {
      sets ??= readSets();
      return sets[chunk] as ChunkSet;
    },
    positions() {
      if (positions === null) {
        assertPositional(entry.isPositional);
        const bytes = alignedTo64Bits(rows.positions(firstRow));
        grow(bytes.byteLength + positionsOverheadBytes);
        positions = readPositions(bytes, entry.posts);
      }
      return positions;
    },
  };
}

function assertLength(bytes: Uint8Array, length: number): void {
  if (bytes.byteLength !== length) throw wrongLength();
}

const wrongLength = (): SealedDamageError =>
  new SealedDamageError("a row of posts has the wrong length");

/** Verifies that there are `count` posts, all below `limit`. */
function readContainer(
  { buffer, byteOffset }: Uint8Array,
  offset: number,
  count: number,
  limit: number,
  row: number,
  base: number,
): ChunkSet {
  if (count >= minBitmapPosts) {
    const bits = new Uint32Array(buffer, byteOffset + offset, wordsPerBitmap);
    assertBitmap(bits, count, limit);
    return bitmapSet(bits, count, row, base);
  }
  const list = new Uint16Array(buffer, byteOffset + offset, count);
  assertAscending(list, limit);
  return listSet(list, count, 0, row, base);
}

function assertAscending(list: Uint16Array, limit: number): void {
  let previous = -1;
  let isAscending = true;
  for (let index = 0; index < list.length; index++) {
    const member = list[index] as number;
    isAscending = isAscending && member > previous;
    previous = member;
  }
  if (!isAscending || previous >= limit)
    throw new SealedDamageError("a list of posts is not in order, or has a nonexistent post");
}

function assertBitmap(bits: Uint32Array, count: number, limit: number): void {
  const last = limit < postsPerChunk ? (bits[limit >>> 5] as number) >>> (limit & 31) : 0;
  let excessBits = last;
  for (let word = (limit >>> 5) + 1; word < wordsPerBitmap; word++)
    excessBits |= bits[word] as number;
  if (countBits(bits) !== count || excessBits !== 0) {
    throw new SealedDamageError("a bitmap has the wrong number of posts, or a nonexistent post");
  }
}
