import { type ByteReader, readVarint } from "./bytes.ts";
import { emptySet, listSet } from "./chunk-set.ts";
import { SealedDamageError } from "./damage.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import { chunkCount, postsPerChunk } from "./format.ts";
import { lastPositionFlag, listedPositions, type Positions } from "./positions.ts";
import {
  assertPositional,
  listOverheadBytes,
  type PostingList,
  positionsOverheadBytes,
} from "./posting-list.ts";

export function inlineList(
  { posts, isPositional, body }: DictionaryEntry,
  totalPosts: number,
  grow: (bytes: number) => void,
): PostingList {
  const reader: ByteReader = { bytes: body, offset: 0 };
  const counts = new Uint32Array(chunkCount(totalPosts));
  const list = new Uint16Array(posts);
  readNumbers(reader, posts, totalPosts, (number, index) => {
    list[index] = number % postsPerChunk;
    const chunk = Math.floor(number / postsPerChunk);
    counts[chunk] = (counts[chunk] as number) + 1;
  });
  const positionsOffset = reader.offset;
  let positions: Positions | null = null;
  grow(listOverheadBytes + body.byteLength + counts.byteLength + list.byteLength);

  return {
    counts,
    set(chunk) {
      const count = counts[chunk] as number;
      if (count === 0) return emptySet;
      let precedingPosts = 0;
      for (let value = 0; value < chunk; value++) precedingPosts += counts[value] as number;
      return listSet(list, count, precedingPosts, 0, precedingPosts);
    },
    positions() {
      if (positions === null) {
        assertPositional(isPositional);
        positions = readInlinePositions({ bytes: body, offset: positionsOffset }, posts);
        grow(positionsOverheadBytes + positions.list.byteLength + 9 * posts);
      }
      return positions;
    },
  };
}

export function readNumbers(
  reader: ByteReader,
  posts: number,
  totalPosts: number,
  visit: (number: number, index: number) => void,
): void {
  let number = -1;
  for (let index = 0; index < posts; index++) {
    const distance = readVarint(reader);
    if (index > 0 && distance === 0) throw new SealedDamageError("a term's posts are not in order");
    number = index === 0 ? distance : number + distance;
    if (number >= totalPosts) throw new SealedDamageError("a term is in a nonexistent post");
    visit(number, index);
  }
}

function readInlinePositions(reader: ByteReader, posts: number): Positions {
  const starts = new Uint32Array(posts);
  const list: number[] = [];
  for (let index = 0; index < posts; index++) {
    starts[index] = list.length;
    readListedPositions(reader, (position, isLast) =>
      list.push(isLast ? position + lastPositionFlag : position),
    );
  }
  return listedPositions(starts, Uint32Array.from(list));
}

export function readListedPositions(
  reader: ByteReader,
  visit: (position: number, isLast: boolean) => void,
): void {
  let position = -1;
  for (let moreBit = 1; moreBit === 1; ) {
    const value = readVarint(reader);
    const distance = Math.floor(value / 2);
    moreBit = value % 2;
    if (position >= 0 && distance === 0) throw new SealedDamageError("positions are not in order");
    position = Math.max(position, 0) + distance;
    if (position >= lastPositionFlag) throw new SealedDamageError("a position is too large");
    visit(position, moreBit === 0);
  }
}
