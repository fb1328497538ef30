import type { ByteReader } from "./bytes.ts";
import {
  addTo,
  bitmapSet,
  type ChunkSet,
  countBits,
  emptySet,
  listSet,
  readMembers,
} from "./chunk-set.ts";
import type { Dictionary } from "./dictionary.ts";
import type { DictionaryEntry } from "./dictionary-entries.ts";
import {
  chunkCount,
  maxInlinePosts,
  minBitmapPosts,
  postsPerChunk,
  wordsPerBitmap,
} from "./format.ts";
import { readListedPositions, readNumbers } from "./inline-list.ts";
import { lastPositionFlag, listedPositions, type Positions } from "./positions.ts";
import {
  assertPositional,
  type PostingList,
  type PostingRows,
  type PostSets,
} from "./posting-list.ts";
import { readPostingList } from "./read-posting-list.ts";

export type PrefixList = { union: PostSets; positionalLists: readonly PostingList[] };

/** Rare terms, perhaps thousands, share a list. Yields the cost in terms read. */
export function* readPrefixList(
  dictionary: Dictionary,
  prefix: string,
  rows: PostingRows,
  grow: (bytes: number) => void,
): Generator<number, PrefixList | null> {
  const words = createLists(rows, true, grow);
  const facets = createLists(rows, false, grow);
  yield* dictionary.visitPrefix(prefix, (entry) =>
    (entry.isPositional ? words : facets).add(entry),
  );
  const positionalLists = yield* words.finish();
  const allLists = [...positionalLists, ...(yield* facets.finish())];
  const [first, second] = allLists;
  if (first === undefined) return null;
  const union = second === undefined ? first : yield* uniteLists(allLists, rows.posts, grow);
  return { union, positionalLists };
}

function createLists(rows: PostingRows, isPositional: boolean, grow: (bytes: number) => void) {
  const lists: PostingList[] = [];
  const rareList = createMergedList(rows.posts, isPositional, grow);
  return {
    add(entry: DictionaryEntry): void {
      if (entry.posts <= maxInlinePosts) rareList.add(entry);
      else lists.push(readPostingList(entry, rows, grow));
    },
    *finish(): Generator<number, PostingList[]> {
      return rareList.isEmpty() ? lists : [...lists, yield* rareList.finish()];
    },
  };
}

function* uniteLists(
  lists: readonly PostingList[],
  posts: number,
  grow: (bytes: number) => void,
): Generator<number, PostSets> {
  const chunks = chunkCount(posts);
  const counts = new Uint32Array(chunks);
  for (const list of lists) {
    for (let chunk = 0; chunk < chunks; chunk++) {
      const sum = (counts[chunk] as number) + (list.counts[chunk] as number);
      counts[chunk] = Math.min(postsPerChunk, sum);
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

type PendingSet = { bits: Uint32Array; steps: Generator<number, void> };

function memoisedSets(
  counts: Uint32Array,
  grow: (bytes: number) => void,
  fill: (chunk: number, bits: Uint32Array) => Generator<number, void>,
): PostSets & Required<Pick<PostSets, "prepare">> {
  const sets: (ChunkSet | undefined)[] = Array.from(counts, () => undefined);
  const pendingSets = new Map<number, PendingSet>();

  function chunkPendingSet(chunk: number): PendingSet {
    const pendingSet = pendingSets.get(chunk);
    if (pendingSet !== undefined) return pendingSet;
    const bits = new Uint32Array(wordsPerBitmap);
    const newSet = { bits, steps: fill(chunk, bits) };
    pendingSets.set(chunk, newSet);
    return newSet;
  }

  function advance(chunk: number): number | null {
    const { bits, steps } = chunkPendingSet(chunk);
    try {
      const step = steps.next();
      if (!step.done) return step.value;
    } catch (error) {
      pendingSets.delete(chunk);
      throw error;
    }
    pendingSets.delete(chunk);
    const set = compact(bits, chunk);
    sets[chunk] = set;
    grow(set.list?.byteLength ?? bits.byteLength);
    return null;
  }

  function* prepare(chunk: number): Generator<number, void> {
    while (sets[chunk] === undefined) {
      const cost = advance(chunk);
      if (cost !== null) yield cost;
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
  const count = countBits(bits);
  const bitmap = bitmapSet(bits, count, row);
  if (count >= minBitmapPosts) return bitmap;
  if (count === 0) return emptySet;
  const list = new Uint16Array(count);
  readMembers(bitmap, 0, postsPerChunk, list, count);
  return listSet(list, count, 0, row);
}

type MergedList = {
  add(entry: DictionaryEntry): void;
  isEmpty(): boolean;
  finish(): Generator<number, PostingList>;
};

const positionsPerTerm = 64;
const positionsPerStep = 4_096;

const positionRange = 2 ** 32;

function createMergedList(
  totalPosts: number,
  isPositional: boolean,
  grow: (bytes: number) => void,
): MergedList {
  const chunks = chunkCount(totalPosts);
  const positions: number[][] = Array.from({ length: chunks }, () => []);
  const numbers = new Uint32Array(maxInlinePosts);
  let isEmpty = true;

  function addPosition(number: number, position: number): void {
    const chunk = Math.floor(number / postsPerChunk);
    positions[chunk]?.push((number % postsPerChunk) * positionRange + position);
  }

  return {
    isEmpty: () => isEmpty,
    add(entry) {
      isEmpty = false;
      const reader: ByteReader = { bytes: entry.body, offset: 0 };
      readNumbers(reader, entry.posts, totalPosts, (number, index) => {
        numbers[index] = number;
      });
      for (let index = 0; index < entry.posts; index++) {
        const number = numbers[index] as number;
        if (isPositional) readListedPositions(reader, (position) => addPosition(number, position));
        else addPosition(number, 0);
      }
    },
    *finish() {
      const sorted: Float64Array[] = [];
      for (const chunkPositions of positions) {
        sorted.push(Float64Array.from(chunkPositions).sort());
        grow(8 * chunkPositions.length);
        yield chunkPositions.length / positionsPerTerm;
      }
      return mergedList(sorted, isPositional, grow);
    },
  };
}

function mergedList(
  locations: readonly Float64Array[],
  isPositional: boolean,
  grow: (bytes: number) => void,
): PostingList {
  const counts = Uint32Array.from(locations, (array) => Math.min(array.length, postsPerChunk));
  const positions: (Positions | undefined)[] = locations.map(() => undefined);
  const sets = memoisedSets(counts, grow, function* (chunk, bits) {
    for (const [index, position] of (locations[chunk] ?? []).entries()) {
      if (index % positionsPerStep === positionsPerStep - 1)
        yield positionsPerStep / positionsPerTerm;
      const post = Math.floor(position / positionRange);
      bits[post >>> 5] = (bits[post >>> 5] as number) | (1 << (post & 31));
    }
  });
  return {
    ...sets,
    positions({ row }) {
      assertPositional(isPositional);
      const cachedPositions = positions[row];
      if (cachedPositions !== undefined) return cachedPositions;
      const chunkPositions = listPositions(locations[row] ?? new Float64Array(0));
      positions[row] = chunkPositions;
      grow(chunkPositions.list.byteLength + 9 * chunkPositions.starts.length);
      return chunkPositions;
    },
  };
}

/** `positions` must be sorted; a rank is the index of a post. */
function listPositions(positions: Float64Array): Positions {
  const starts: number[] = [];
  const list = new Uint32Array(positions.length);
  let previousPost = -1;
  for (let index = 0; index < positions.length; index++) {
    const position = positions[index] as number;
    const post = Math.floor(position / positionRange);
    if (post !== previousPost) {
      if (index > 0) list[index - 1] = (list[index - 1] as number) + lastPositionFlag;
      starts.push(index);
    }
    list[index] = position % positionRange;
    previousPost = post;
  }
  if (list.length > 0) list[list.length - 1] = (list[list.length - 1] as number) + lastPositionFlag;
  return listedPositions(Uint32Array.from(starts), list);
}
