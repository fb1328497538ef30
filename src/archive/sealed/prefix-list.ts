import type { ByteReader } from "./byte-reader.ts";
import {
  addTo,
  bitmapSet,
  type ChunkSet,
  countOf,
  emptySet,
  listSet,
  members,
} from "./chunk-set.ts";
import type { Dictionary } from "./dictionary.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import { chunksOf, densePosts, inlinePosts, postsOfChunk, wordsOfBitmap } from "./format.ts";
import { readListedPositions, readNumbers } from "./inline-list.ts";
import { lastListed, listedPositions, type Positions } from "./positions.ts";
import {
  assertPositioned,
  type PostingList,
  type PostingRows,
  type PostSets,
} from "./posting-list.ts";
import { postingListOf } from "./read-posting-list.ts";

export type PrefixList = { any: PostSets; positioned: readonly PostingList[] };

/**
 * Null if no term has the prefix. Rare terms, perhaps thousands, share a list. Yields the cost in
 * terms read.
 */
export function* prefixListOf(
  dictionary: Dictionary,
  prefix: string,
  rows: PostingRows,
  grow: (bytes: number) => void,
): Generator<number, PrefixList | null> {
  const words = createLists(rows, true, grow);
  const facets = createLists(rows, false, grow);
  yield* dictionary.eachBeginning(prefix, (entry) =>
    (entry.positioned ? words : facets).add(entry),
  );
  const positioned = yield* words.finish();
  const all = [...positioned, ...(yield* facets.finish())];
  const [first, second] = all;
  if (first === undefined) return null;
  const any = second === undefined ? first : yield* unionOf(all, rows.posts, grow);
  return { any, positioned };
}

function createLists(rows: PostingRows, positioned: boolean, grow: (bytes: number) => void) {
  const lists: PostingList[] = [];
  const rare = createMergedList(rows.posts, positioned, grow);
  return {
    add(entry: DictionaryEntry): void {
      if (entry.posts <= inlinePosts) rare.add(entry);
      else lists.push(postingListOf(entry, rows, grow));
    },
    *finish(): Generator<number, PostingList[]> {
      return rare.isEmpty() ? lists : [...lists, yield* rare.finish()];
    },
  };
}

function* unionOf(
  lists: readonly PostingList[],
  posts: number,
  grow: (bytes: number) => void,
): Generator<number, PostSets> {
  const chunks = chunksOf(posts);
  const counts = new Uint32Array(chunks);
  for (const list of lists) {
    for (let chunk = 0; chunk < chunks; chunk++) {
      const sum = (counts[chunk] as number) + (list.counts[chunk] as number);
      counts[chunk] = Math.min(postsOfChunk, sum);
    }
    yield 1;
  }
  return memoisedSets(counts, grow, function* (chunk, bits) {
    for (const list of lists) {
      if (list.counts[chunk] === 0) continue;
      if (list.prepare !== undefined) yield* list.prepare(chunk);
      addTo(bits, list.set(chunk));
      yield 1;
    }
  });
}

type Filling = { bits: Uint32Array; steps: Generator<number, void> };

function memoisedSets(
  counts: Uint32Array,
  grow: (bytes: number) => void,
  fill: (chunk: number, bits: Uint32Array) => Generator<number, void>,
): PostSets & Required<Pick<PostSets, "prepare">> {
  const sets: (ChunkSet | undefined)[] = Array.from(counts, () => undefined);
  const fillings = new Map<number, Filling>();

  function fillingOf(chunk: number): Filling {
    const started = fillings.get(chunk);
    if (started !== undefined) return started;
    const bits = new Uint32Array(wordsOfBitmap);
    const filling = { bits, steps: fill(chunk, bits) };
    fillings.set(chunk, filling);
    return filling;
  }

  function advance(chunk: number): number | null {
    const { bits, steps } = fillingOf(chunk);
    try {
      const step = steps.next();
      if (!step.done) return step.value;
    } catch (error) {
      fillings.delete(chunk);
      throw error;
    }
    fillings.delete(chunk);
    const set = compact(bits, chunk);
    sets[chunk] = set;
    grow(set.list?.byteLength ?? bits.byteLength);
    return null;
  }

  function* prepare(chunk: number): Generator<number, void> {
    while (sets[chunk] === undefined) {
      const read = advance(chunk);
      if (read !== null) yield read;
    }
  }

  return {
    counts,
    prepare,
    set(chunk) {
      for (;;) {
        const set = sets[chunk];
        if (set !== undefined) return set;
        advance(chunk);
      }
    },
  };
}

function compact(bits: Uint32Array, row: number): ChunkSet {
  const count = countOf(bits);
  const bitmap = bitmapSet(bits, count, row);
  if (count >= densePosts) return bitmap;
  if (count === 0) return emptySet;
  const list = new Uint16Array(count);
  members(bitmap, 0, postsOfChunk, list, count);
  return listSet(list, count, 0, row);
}

type MergedList = {
  add(entry: DictionaryEntry): void;
  isEmpty(): boolean;
  finish(): Generator<number, PostingList>;
};

const positionsOfTerm = 64;
const positionsOfStep = 4_096;

const perPost = 2 ** 32;

function createMergedList(
  totalPosts: number,
  positioned: boolean,
  grow: (bytes: number) => void,
): MergedList {
  const chunks = chunksOf(totalPosts);
  const positions: number[][] = Array.from({ length: chunks }, () => []);
  const numbers = new Uint32Array(inlinePosts);
  let isEmpty = true;

  function addPosition(number: number, position: number): void {
    const chunk = Math.floor(number / postsOfChunk);
    positions[chunk]?.push((number % postsOfChunk) * perPost + position);
  }

  return {
    isEmpty: () => isEmpty,
    add(entry) {
      isEmpty = false;
      const reader: ByteReader = { bytes: entry.rest, at: 0 };
      readNumbers(reader, entry.posts, totalPosts, (number, index) => {
        numbers[index] = number;
      });
      for (let index = 0; index < entry.posts; index++) {
        const number = numbers[index] as number;
        if (positioned) readListedPositions(reader, (position) => addPosition(number, position));
        else addPosition(number, 0);
      }
    },
    *finish() {
      const sorted: Float64Array[] = [];
      for (const each of positions) {
        sorted.push(Float64Array.from(each).sort());
        grow(8 * each.length);
        yield each.length / positionsOfTerm;
      }
      return mergedList(sorted, positioned, grow);
    },
  };
}

function mergedList(
  locations: readonly Float64Array[],
  positioned: boolean,
  grow: (bytes: number) => void,
): PostingList {
  const counts = Uint32Array.from(locations, (each) => Math.min(each.length, postsOfChunk));
  const positions: (Positions | undefined)[] = locations.map(() => undefined);
  const sets = memoisedSets(counts, grow, function* (chunk, bits) {
    for (const [index, position] of (locations[chunk] ?? []).entries()) {
      if (index % positionsOfStep === positionsOfStep - 1) yield positionsOfStep / positionsOfTerm;
      const post = Math.floor(position / perPost);
      bits[post >>> 5] = (bits[post >>> 5] as number) | (1 << (post & 31));
    }
  });
  return {
    ...sets,
    positions({ row }) {
      assertPositioned(positioned);
      const known = positions[row];
      if (known !== undefined) return known;
      const read = positionsOf(locations[row] ?? new Float64Array(0));
      positions[row] = read;
      grow(read.list.byteLength + 9 * read.starts.length);
      return read;
    },
  };
}

/** `positions` are sorted; ranks are indexes of their posts. */
function positionsOf(positions: Float64Array): Positions {
  const starts: number[] = [];
  const list = new Uint32Array(positions.length);
  let before = -1;
  for (let index = 0; index < positions.length; index++) {
    const position = positions[index] as number;
    const post = Math.floor(position / perPost);
    if (post !== before) {
      if (index > 0) list[index - 1] = (list[index - 1] as number) + lastListed;
      starts.push(index);
    }
    list[index] = position % perPost;
    before = post;
  }
  if (list.length > 0) list[list.length - 1] = (list[list.length - 1] as number) + lastListed;
  return listedPositions(Uint32Array.from(starts), list);
}
