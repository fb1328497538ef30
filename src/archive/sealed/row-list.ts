import { alignedTo64Bits, type ByteReader, readVarint } from "./bytes.ts";
import { bitmapSet, type ChunkSet, countBits, emptySet, listSet } from "./chunk-set.ts";
import { SealedDamage } from "./damage.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import {
  chunkCount,
  containerBytes,
  densePosts,
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

function readCounts({ posts, rest }: DictionaryEntry, totalPosts: number): RowCounts {
  const reader: ByteReader = { bytes: rest, at: 0 };
  const firstRow = readVarint(reader);
  const counts = new Uint32Array(chunkCount(totalPosts));
  let total = 0;
  for (let chunk = 0; chunk < counts.length; chunk++) {
    const count = readVarint(reader);
    if (count > postsIn(chunk, totalPosts)) {
      throw new SealedDamage("a term is in more posts of a chunk than there are");
    }
    counts[chunk] = count;
    total += count;
  }
  if (total !== posts) throw new SealedDamage("a term's posts per chunk do not add up");
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
      const known = sets[chunk];
      if (known !== undefined) return known;
      const set = readSet(chunk);
      sets[chunk] = set;
      return set;
    },
    positions({ row }) {
      const known = positions[row];
      if (known !== undefined) return known;
      assertPositional(entry.isPositional);
      const bytes = alignedTo64Bits(rows.positions(firstRow + row));
      grow(bytes.byteLength + positionsOverheadBytes);
      const read = readPositions(bytes, counts[row] as number);
      positions[row] = read;
      return read;
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
    const read: ChunkSet[] = [];
    let offset = 0;
    let base = 0;
    for (let chunk = 0; chunk < counts.length; chunk++) {
      const count = counts[chunk] as number;
      const length = count === 0 ? 0 : containerBytes(count);
      if (offset + length > bytes.byteLength) throw wrongLength();
      read.push(
        count === 0
          ? emptySet
          : readContainer(bytes, offset, count, postsIn(chunk, rows.posts), 0, base),
      );
      offset += length;
      base += count;
    }
    assertLength(bytes, offset);
    grow(bytes.byteLength + setOverheadBytes * counts.length);
    return read;
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

const wrongLength = (): SealedDamage => new SealedDamage("a row of posts has the wrong length");

/** Verifies that there are `count` posts, all below `limit`. */
function readContainer(
  { buffer, byteOffset }: Uint8Array,
  offset: number,
  count: number,
  limit: number,
  row: number,
  base: number,
): ChunkSet {
  if (count >= densePosts) {
    const bits = new Uint32Array(buffer, byteOffset + offset, wordsPerBitmap);
    assertBitmap(bits, count, limit);
    return bitmapSet(bits, count, row, base);
  }
  const list = new Uint16Array(buffer, byteOffset + offset, count);
  assertAscending(list, limit);
  return listSet(list, count, 0, row, base);
}

function assertAscending(list: Uint16Array, limit: number): void {
  let before = -1;
  let isAscending = true;
  for (let index = 0; index < list.length; index++) {
    const member = list[index] as number;
    isAscending = isAscending && member > before;
    before = member;
  }
  if (!isAscending || before >= limit)
    throw new SealedDamage("a list of posts is not in order, or has a nonexistent post");
}

function assertBitmap(bits: Uint32Array, count: number, limit: number): void {
  const last = limit < postsPerChunk ? (bits[limit >>> 5] as number) >>> (limit & 31) : 0;
  let beyond = last;
  for (let word = (limit >>> 5) + 1; word < wordsPerBitmap; word++) beyond |= bits[word] as number;
  if (countBits(bits) !== count || beyond !== 0) {
    throw new SealedDamage("a bitmap has the wrong number of posts, or a nonexistent post");
  }
}
