import { alignedPosition, type Word } from "./aligned-position.ts";
import {
  addTo,
  bitmapSet,
  type ChunkSet,
  computeRanks,
  emptySet,
  listSet,
  readMembers,
} from "./chunk-set.ts";
import { minBitmapPosts, postsPerChunk } from "./format.ts";
import { listMarker, occursAt, occursTwice, rankStart } from "./positions.ts";
import type { PostingList } from "./posting-list.ts";
import type { Scratch } from "./scratch.ts";

export type PhraseFinder = {
  /** Every candidate must contain every term. */
  find(
    phrase: readonly PostingList[],
    chunk: number,
    candidates: ChunkSet,
    scratch: Scratch,
  ): ChunkSet;
};

export function createPhraseFinder(): PhraseFinder {
  const candidates = new Uint16Array(postsPerChunk);
  const retainedIndexes = new Uint16Array(postsPerChunk);
  const buffers: Uint32Array[] = [];

  function bufferFor(index: number, count: number): Uint32Array {
    const buffer = buffers[index];
    if (buffer !== undefined && buffer.length >= count) return buffer;
    const larger = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(count, 256))));
    buffers[index] = larger;
    return larger;
  }

  function readWord(list: PostingList, chunk: number, count: number, index: number): Word {
    const set = list.set(chunk);
    const buffer = bufferFor(index, count);
    computeRanks(set, candidates, count, buffer);
    return { positions: list.positions(set), ranks: buffer };
  }

  function filterCandidates(
    phrase: readonly PostingList[],
    chunk: number,
    candidateCount: number,
  ): number {
    const words = new Map<PostingList, Word>();
    let count = candidateCount;

    function ensureWord(list: PostingList): Word {
      const word = words.get(list) ?? readWord(list, chunk, count, words.size);
      words.set(list, word);
      return word;
    }

    function retain(remaining: number): void {
      if (remaining === count) return;
      for (let index = 0; index < remaining; index++) {
        candidates[index] = candidates[retainedIndexes[index] as number] as number;
      }
      for (const word of words.values()) compactRanks(word.ranks, retainedIndexes, remaining);
      count = remaining;
    }

    const repeatedLists = phrase.filter((list, position) => phrase.indexOf(list) !== position);
    for (const list of new Set(repeatedLists))
      retain(filterListed(ensureWord(list), count, retainedIndexes));
    const [first, second] = phrase;
    if (count === 0 || first === undefined || second === undefined) return count;
    retain(filterPairs(ensureWord(first), ensureWord(second), count, retainedIndexes));
    if (count === 0 || phrase.length === 2) return count;
    retain(filterWholePhrases(phrase.map(ensureWord), count, retainedIndexes));
    return count;
  }

  return {
    find(phrase, chunk, candidateSet, scratch) {
      const candidateCount = readMembers(candidateSet, 0, postsPerChunk, candidates, postsPerChunk);
      const count = filterCandidates(phrase, chunk, candidateCount);
      if (count === 0) return emptySet;
      const buffer = scratch.acquire();
      if (count < minBitmapPosts) {
        buffer.list.set(candidates.subarray(0, count));
        return listSet(buffer.list, count);
      }
      addTo(buffer.bits.fill(0), listSet(candidates, count));
      return bitmapSet(buffer.bits, count);
    },
  };
}

function compactRanks(ranks: Uint32Array, retainedIndexes: Uint16Array, count: number): void {
  for (let index = 0; index < count; index++) {
    ranks[index] = ranks[retainedIndexes[index] as number] as number;
  }
}

/** Writes the indexes of candidates with listed positions to `out`, and returns their number. */
function filterListed({ positions, ranks }: Word, count: number, out: Uint16Array): number {
  const { bytes } = positions;
  let matchCount = 0;
  for (let index = 0; index < count; index++) {
    out[matchCount] = index;
    matchCount += bytes[ranks[index] as number] === listMarker ? 1 : 0;
  }
  return matchCount;
}

function filterPairs(first: Word, second: Word, count: number, out: Uint16Array): number {
  return first === second
    ? filterDoubles(first, count, out)
    : filterNeighbours(first, second, count, out);
}

function filterDoubles({ positions, ranks }: Word, count: number, out: Uint16Array): number {
  let matchCount = 0;
  for (let index = 0; index < count; index++) {
    if (!occursTwice(positions, ranks[index] as number)) continue;
    out[matchCount] = index;
    matchCount += 1;
  }
  return matchCount;
}

function filterNeighbours(first: Word, second: Word, count: number, out: Uint16Array): number {
  const pair = [first, second];
  const firstBytes = first.positions.bytes;
  const secondBytes = second.positions.bytes;
  let matchCount = 0;
  for (let index = 0; index < count; index++) {
    const position = firstBytes[first.ranks[index] as number] as number;
    const next = secondBytes[second.ranks[index] as number] as number;
    const isSingle = position !== listMarker && next !== listMarker;
    if (isSingle ? next !== position + 1 : !hasPhraseAt(pair, index)) continue;
    out[matchCount] = index;
    matchCount += 1;
  }
  return matchCount;
}

function filterWholePhrases(words: readonly Word[], count: number, out: Uint16Array): number {
  let matchCount = 0;
  for (let index = 0; index < count; index++) {
    if (!hasPhraseAt(words, index)) continue;
    out[matchCount] = index;
    matchCount += 1;
  }
  return matchCount;
}

const maxScannedPositions = 8;

function hasPhraseAt(words: readonly Word[], index: number): boolean {
  const { positions, ranks } = words[0] as Word;
  const rank = ranks[index] as number;
  const singlePosition = positions.bytes[rank] as number;
  if (singlePosition !== listMarker) return othersFollow(words, index, singlePosition);
  const { list, lastBit } = positions;
  const start = rankStart(positions, rank);
  for (let item = start; item < start + maxScannedPositions; item++) {
    const position = list[item] as number;
    if (othersFollow(words, index, (position & ~lastBit) >>> 0)) return true;
    if ((position & lastBit) !== 0) return false;
  }
  return hasPhraseInLongList(words, index);
}

function hasPhraseInLongList(words: readonly Word[], index: number): boolean {
  for (let number = 1; number < words.length; number++) {
    const { positions, ranks } = words[number] as Word;
    const singlePosition = positions.bytes[ranks[index] as number] as number;
    if (singlePosition === listMarker) continue;
    const position = singlePosition - number;
    return (
      position >= 0 &&
      firstWordOccurs(words, index, position) &&
      othersFollow(words, index, position)
    );
  }
  return alignedPosition(words, index) !== null;
}

function firstWordOccurs(words: readonly Word[], index: number, position: number): boolean {
  const { positions, ranks } = words[0] as Word;
  return occursAt(positions, ranks[index] as number, position);
}

function othersFollow(words: readonly Word[], index: number, position: number): boolean {
  for (let number = 1; number < words.length; number++) {
    const { positions, ranks } = words[number] as Word;
    if (!occursAt(positions, ranks[index] as number, position + number)) return false;
  }
  return true;
}
