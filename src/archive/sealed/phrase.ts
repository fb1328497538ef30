import { alignedPosition, type Word } from "./aligned-position.ts";
import { addTo, bitmapSet, type ChunkSet, emptySet, listSet, members, ranks } from "./chunk-set.ts";
import { densePosts, postsPerChunk } from "./format.ts";
import { inList, occursAt, occursTwice, rankStart } from "./positions.ts";
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
  const retained = new Uint16Array(postsPerChunk);
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
    ranks(set, candidates, count, buffer);
    return { positions: list.positions(set), ranks: buffer };
  }

  function filterCandidates(phrase: readonly PostingList[], chunk: number, all: number): number {
    const words = new Map<PostingList, Word>();
    let count = all;

    function ensureWord(list: PostingList): Word {
      const word = words.get(list) ?? readWord(list, chunk, count, words.size);
      words.set(list, word);
      return word;
    }

    function retain(remaining: number): void {
      if (remaining === count) return;
      for (let index = 0; index < remaining; index++) {
        candidates[index] = candidates[retained[index] as number] as number;
      }
      for (const word of words.values()) compactRanks(word.ranks, retained, remaining);
      count = remaining;
    }

    const repeated = phrase.filter((list, position) => phrase.indexOf(list) !== position);
    for (const list of new Set(repeated)) retain(filterListed(ensureWord(list), count, retained));
    const [first, second] = phrase;
    if (count === 0 || first === undefined || second === undefined) return count;
    retain(filterPairs(ensureWord(first), ensureWord(second), count, retained));
    if (count === 0 || phrase.length === 2) return count;
    retain(filterWholePhrases(phrase.map(ensureWord), count, retained));
    return count;
  }

  return {
    find(phrase, chunk, within, scratch) {
      const all = members(within, 0, postsPerChunk, candidates, postsPerChunk);
      const count = filterCandidates(phrase, chunk, all);
      if (count === 0) return emptySet;
      const buffer = scratch.acquire();
      if (count < densePosts) {
        buffer.list.set(candidates.subarray(0, count));
        return listSet(buffer.list, count);
      }
      addTo(buffer.bits.fill(0), listSet(candidates, count));
      return bitmapSet(buffer.bits, count);
    },
  };
}

function compactRanks(ranks: Uint32Array, retained: Uint16Array, count: number): void {
  for (let index = 0; index < count; index++) {
    ranks[index] = ranks[retained[index] as number] as number;
  }
}

/** Writes the indexes of candidates with listed positions to `out`, and returns their number. */
function filterListed({ positions, ranks }: Word, count: number, out: Uint16Array): number {
  const { bytes } = positions;
  let found = 0;
  for (let index = 0; index < count; index++) {
    out[found] = index;
    found += bytes[ranks[index] as number] === inList ? 1 : 0;
  }
  return found;
}

function filterPairs(first: Word, second: Word, count: number, out: Uint16Array): number {
  return first === second
    ? filterDoubles(first, count, out)
    : filterNeighbours(first, second, count, out);
}

function filterDoubles({ positions, ranks }: Word, count: number, out: Uint16Array): number {
  let found = 0;
  for (let index = 0; index < count; index++) {
    if (!occursTwice(positions, ranks[index] as number)) continue;
    out[found] = index;
    found += 1;
  }
  return found;
}

function filterNeighbours(first: Word, second: Word, count: number, out: Uint16Array): number {
  const pair = [first, second];
  const firsts = first.positions.bytes;
  const seconds = second.positions.bytes;
  let found = 0;
  for (let index = 0; index < count; index++) {
    const position = firsts[first.ranks[index] as number] as number;
    const next = seconds[second.ranks[index] as number] as number;
    const isOnce = position !== inList && next !== inList;
    if (isOnce ? next !== position + 1 : !hasPhraseAt(pair, index)) continue;
    out[found] = index;
    found += 1;
  }
  return found;
}

function filterWholePhrases(words: readonly Word[], count: number, out: Uint16Array): number {
  let found = 0;
  for (let index = 0; index < count; index++) {
    if (!hasPhraseAt(words, index)) continue;
    out[found] = index;
    found += 1;
  }
  return found;
}

const fewPositions = 8;

function hasPhraseAt(words: readonly Word[], index: number): boolean {
  const { positions, ranks } = words[0] as Word;
  const rank = ranks[index] as number;
  const only = positions.bytes[rank] as number;
  if (only !== inList) return othersFollow(words, index, only);
  const { list, lastBit } = positions;
  const start = rankStart(positions, rank);
  for (let item = start; item < start + fewPositions; item++) {
    const position = list[item] as number;
    if (othersFollow(words, index, (position & ~lastBit) >>> 0)) return true;
    if ((position & lastBit) !== 0) return false;
  }
  return hasPhraseInLongList(words, index);
}

function hasPhraseInLongList(words: readonly Word[], index: number): boolean {
  for (let number = 1; number < words.length; number++) {
    const { positions, ranks } = words[number] as Word;
    const only = positions.bytes[ranks[index] as number] as number;
    if (only === inList) continue;
    const position = only - number;
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
