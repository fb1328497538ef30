import { type ByteReader, readVarint } from "./bytes.ts";
import { emptySet, listSet } from "./chunk-set.ts";
import { SealedDamage } from "./damage.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import { chunkCount, postsPerChunk } from "./format.ts";
import { lastListed, listedPositions, type Positions } from "./positions.ts";
import {
  assertPositional,
  listOverheadBytes,
  type PostingList,
  positionsOverheadBytes,
} from "./posting-list.ts";

export function inlineList(
  { posts, isPositional, rest }: DictionaryEntry,
  totalPosts: number,
  grow: (bytes: number) => void,
): PostingList {
  const reader: ByteReader = { bytes: rest, at: 0 };
  const counts = new Uint32Array(chunkCount(totalPosts));
  const list = new Uint16Array(posts);
  readNumbers(reader, posts, totalPosts, (number, index) => {
    list[index] = number % postsPerChunk;
    const chunk = Math.floor(number / postsPerChunk);
    counts[chunk] = (counts[chunk] as number) + 1;
  });
  const positionsAt = reader.at;
  let positions: Positions | null = null;
  grow(listOverheadBytes + rest.byteLength + counts.byteLength + list.byteLength);

  return {
    counts,
    set(chunk) {
      const count = counts[chunk] as number;
      if (count === 0) return emptySet;
      let before = 0;
      for (let value = 0; value < chunk; value++) before += counts[value] as number;
      return listSet(list, count, before, 0, before);
    },
    positions() {
      if (positions === null) {
        assertPositional(isPositional);
        positions = readInlinePositions({ bytes: rest, at: positionsAt }, posts);
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
    if (index > 0 && distance === 0) throw new SealedDamage("posts of a term are not in order");
    number = index === 0 ? distance : number + distance;
    if (number >= totalPosts) throw new SealedDamage("a term is in a nonexistent post");
    visit(number, index);
  }
}

function readInlinePositions(reader: ByteReader, posts: number): Positions {
  const starts = new Uint32Array(posts);
  const list: number[] = [];
  for (let index = 0; index < posts; index++) {
    starts[index] = list.length;
    readListedPositions(reader, (position, isLast) =>
      list.push(isLast ? position + lastListed : position),
    );
  }
  return listedPositions(starts, Uint32Array.from(list));
}

export function readListedPositions(
  reader: ByteReader,
  visit: (position: number, isLast: boolean) => void,
): void {
  let position = -1;
  for (let follows = 1; follows === 1; ) {
    const value = readVarint(reader);
    const distance = Math.floor(value / 2);
    follows = value % 2;
    if (position >= 0 && distance === 0) throw new SealedDamage("positions are not in order");
    position = Math.max(position, 0) + distance;
    if (position >= lastListed) throw new SealedDamage("a position is too large");
    visit(position, follows === 0);
  }
}
