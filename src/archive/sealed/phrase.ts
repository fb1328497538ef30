import { alignedPlace, type Word } from "./aligned-place.ts";
import { bitmapSet, type ChunkSet, emptySet, listSet, members, ranks } from "./chunk-set.ts";
import { densePosts, postsOfChunk } from "./format.ts";
import { inList, standsAt, startOf } from "./positions.ts";
import type { PostingList } from "./posting-list.ts";
import type { Scratch } from "./scratch.ts";

/** Finds which posts of a chunk hold a phrase; keeps the room it needs for that. */
export type PhraseFinder = {
  /** The posts of `candidates`, all of which hold every term of the phrase, in which they stand side by side. */
  find(
    phrase: readonly PostingList[],
    chunk: number,
    candidates: ChunkSet,
    scratch: Scratch,
  ): ChunkSet;
};

export function createPhraseFinder(): PhraseFinder {
  const candidates = new Uint16Array(postsOfChunk);
  const rooms: Uint32Array[] = [];

  /** Room for so many ranks, of the `index`th term. */
  function roomFor(index: number, count: number): Uint32Array {
    const room = rooms[index];
    if (room !== undefined && room.length >= count) return room;
    const larger = new Uint32Array(2 ** Math.ceil(Math.log2(Math.max(count, 256))));
    rooms[index] = larger;
    return larger;
  }

  /** The words of a phrase; one that occurs in it twice is read once. */
  function wordsOf(phrase: readonly PostingList[], chunk: number, count: number): Word[] {
    const known = new Map<PostingList, Word>();
    return phrase.map((list) => {
      const word = known.get(list) ?? readWord(list, chunk, count, known.size);
      known.set(list, word);
      return word;
    });
  }

  function readWord(list: PostingList, chunk: number, count: number, index: number): Word {
    const set = list.set(chunk);
    const room = roomFor(index, count);
    ranks(set, candidates, count, room);
    return { positions: list.positions(set), ranks: room };
  }

  /** Keeps the candidates in which two words stand side by side, so that the others need be looked at in few; how many. */
  function keepPairs(pair: readonly PostingList[], chunk: number, count: number): number {
    return keepList(wordsOf(pair, chunk, count), candidates, count, candidates);
  }

  return {
    find(phrase, chunk, within, scratch) {
      const all = members(within, 0, postsOfChunk, candidates, postsOfChunk);
      const count = phrase.length > 2 ? keepPairs(phrase.slice(0, 2), chunk, all) : all;
      if (count === 0 || phrase.length === 0) return emptySet;
      const words = wordsOf(phrase, chunk, count);
      const room = scratch.take();
      const found =
        count < densePosts
          ? keepList(words, candidates, count, room.list)
          : keepBits(words, candidates, count, room.bits.fill(0));
      if (found === 0) return emptySet;
      return count < densePosts ? listSet(room.list, found) : bitmapSet(room.bits, found);
    },
  };
}

/** Writes the candidates that hold the words side by side to `out`, which may be `candidates` itself. */
function keepList(
  words: readonly Word[],
  candidates: Uint16Array,
  count: number,
  out: Uint16Array,
): number {
  let found = 0;
  for (let index = 0; index < count; index++) {
    if (!holds(words, index)) continue;
    out[found] = candidates[index] as number;
    found += 1;
  }
  return found;
}

function keepBits(
  words: readonly Word[],
  candidates: Uint16Array,
  count: number,
  out: Uint32Array,
): number {
  let found = 0;
  for (let index = 0; index < count; index++) {
    if (!holds(words, index)) continue;
    const member = candidates[index] as number;
    out[member >>> 5] = (out[member >>> 5] as number) | (1 << (member & 31));
    found += 1;
  }
  return found;
}

/** Of so many places of the first word each is looked at by itself: few posts have more. */
const fewPlaces = 8;

/** Whether the words stand side by side in the candidate. */
function holds(words: readonly Word[], index: number): boolean {
  const { positions, ranks } = words[0] as Word;
  const rank = ranks[index] as number;
  const only = positions.bytes[rank] as number;
  if (only !== inList) return follow(words, index, only);
  const { list, lastBit } = positions;
  const start = startOf(positions, rank);
  for (let item = start; item < start + fewPlaces; item++) {
    const place = list[item] as number;
    if (follow(words, index, (place & ~lastBit) >>> 0)) return true;
    if ((place & lastBit) !== 0) return false;
  }
  return holdsAmongMany(words, index);
}

/** The same where the first word stands in many places. One that stands in a single place says where all would have to. */
function holdsAmongMany(words: readonly Word[], index: number): boolean {
  for (let number = 1; number < words.length; number++) {
    const { positions, ranks } = words[number] as Word;
    const only = positions.bytes[ranks[index] as number] as number;
    if (only === inList) continue;
    const place = only - number;
    return place >= 0 && standsFirst(words, index, place) && follow(words, index, place);
  }
  return alignedPlace(words, index) !== null;
}

function standsFirst(words: readonly Word[], index: number, place: number): boolean {
  const { positions, ranks } = words[0] as Word;
  return standsAt(positions, ranks[index] as number, place);
}

/** Whether the other words follow the first one at this place. */
function follow(words: readonly Word[], index: number, place: number): boolean {
  for (let number = 1; number < words.length; number++) {
    const { positions, ranks } = words[number] as Word;
    if (!standsAt(positions, ranks[index] as number, place + number)) return false;
  }
  return true;
}
