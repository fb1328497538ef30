import { containerBytes, minBitmapPosts, postsPerChunk, wordsPerBitmap } from "../sealed/format.ts";
import { alignedTo32Bits, type BoundedReader, MalformedDataError } from "./sealed-bytes.ts";

export type CheckedPostings = {
  count: number;
  numbers: Uint32Array;
  /**
   * The positions in post `i` are from index `starts[i]` to below `starts[i + 1]`. Null if the term
   * has no positions.
   */
  positions: Uint32Array | null;
  starts: Uint32Array;
};

/** Throws `MalformedDataError` for anything that the format does not allow. */
export type PostingsReader = {
  begin(hasPositions: boolean): void;
  readInline(reader: BoundedReader, posts: number): void;
  /** `counts`: the number of posts in each chunk, starting at `chunk`. */
  readContainers(row: Uint8Array, chunk: number, counts: readonly number[]): void;
  readPositions(row: Uint8Array, posts: number): void;
  postings(): CheckedPostings;
};

export function postingsReader(allPosts: number): PostingsReader {
  const numbers = new Uint32Array(allPosts);
  const starts = new Uint32Array(allPosts + 1);
  let positions = new Uint32Array(1024);
  let count = 0;
  let positionedPosts = 0;
  let positionCount = 0;
  let withPositions = false;

  function addNumber(number: number): void {
    if (number >= allPosts)
      throw new MalformedDataError(
        `it contains doc number ${number}, but there are only ${allPosts} posts`,
      );
    if (count > 0 && number <= (numbers[count - 1] ?? 0))
      throw new MalformedDataError("its posts are not in order");
    numbers[count] = number;
    count += 1;
  }

  function addPosition(position: number): void {
    if (
      positionCount > (starts[positionedPosts] ?? 0) &&
      position <= (positions[positionCount - 1] ?? 0)
    )
      throw new MalformedDataError("its positions are not in order");
    if (position > 0x7fffffff) throw new MalformedDataError("a position is too large");
    if (positionCount === positions.length) {
      const larger = new Uint32Array(2 * positionCount);
      larger.set(positions);
      positions = larger;
    }
    positions[positionCount] = position;
    positionCount += 1;
  }

  function endPost(): void {
    positionedPosts += 1;
    starts[positionedPosts] = positionCount;
  }

  function readInline(reader: BoundedReader, posts: number): void {
    for (let index = 0; index < posts; index++) {
      const distance = reader.varint();
      addNumber(index === 0 ? distance : (numbers[count - 1] ?? 0) + distance);
    }
    for (let index = 0; withPositions && index < posts; index++) {
      let position = 0;
      let hasMore = true;
      while (hasMore) {
        const value = reader.varint();
        position += Math.floor(value / 2);
        addPosition(position);
        hasMore = value % 2 === 1;
      }
      endPost();
    }
  }

  function readContainers(row: Uint8Array, chunk: number, counts: readonly number[]): void {
    const bytes = alignedTo32Bits(row);
    const length = counts.reduce((sum, posts) => sum + containerSize(posts), 0);
    if (bytes.length !== length)
      throw new MalformedDataError(`its containers have ${bytes.length} bytes, not ${length}`);
    let offset = 0;
    for (const [index, posts] of counts.entries()) {
      const base = (chunk + index) * postsPerChunk;
      if (posts >= minBitmapPosts) readBitmap(bytes, offset, base, posts);
      else readList(bytes, offset, base, posts);
      offset += containerSize(posts);
    }
  }

  function readList(bytes: Uint8Array, offset: number, base: number, posts: number): void {
    const list = new Uint16Array(bytes.buffer, bytes.byteOffset + offset, containerSize(posts) / 2);
    for (let index = 0; index < posts; index++) addNumber(base + (list[index] ?? 0));
    if (posts < list.length && list[posts] !== 0)
      throw new MalformedDataError("a container has nonzero padding");
  }

  function readBitmap(bytes: Uint8Array, offset: number, base: number, posts: number): void {
    const words = new Uint32Array(bytes.buffer, bytes.byteOffset + offset, wordsPerBitmap);
    const countBefore = count;
    for (let index = 0; index < wordsPerBitmap; index++) {
      for (let word = words[index] ?? 0; word !== 0; word &= word - 1) {
        addNumber(base + index * 32 + 31 - Math.clz32(word & -word));
      }
    }
    if (count - countBefore !== posts)
      throw new MalformedDataError(`a bitmap has ${count - countBefore} posts, not ${posts}`);
  }

  function readPositions(row: Uint8Array, posts: number): void {
    const {
      single,
      ranks,
      starts: listStarts,
      list,
      lastFlag,
    } = makePositions(alignedTo32Bits(row), posts);
    let next = 0;
    let item = 0;
    for (let rank = 0; rank < posts; rank++) {
      const position = single[rank] ?? 0;
      if (position < 255) {
        addPosition(position);
        endPost();
        continue;
      }
      if (ranks[next] !== rank || listStarts[next] !== item)
        throw new MalformedDataError(
          "its positions have no entry for a post with several positions",
        );
      next += 1;
      for (let hasMore = true; hasMore; item++) {
        const value = list[item];
        if (value === undefined) throw new MalformedDataError("a list of positions has no end");
        hasMore = value < lastFlag;
        addPosition(hasMore ? value : value - lastFlag);
      }
      endPost();
    }
    if (next !== ranks.length || item !== list.length)
      throw new MalformedDataError("its list of positions has entries that belong to no post");
  }

  return {
    begin: (hasPositions) => {
      withPositions = hasPositions;
      count = 0;
      positionedPosts = 0;
      positionCount = 0;
      starts[0] = 0;
    },
    readInline,
    readContainers,
    readPositions,
    postings: () => ({ count, numbers, positions: withPositions ? positions : null, starts }),
  };
}

const containerSize = (posts: number): number => (posts === 0 ? 0 : containerBytes(posts));

type Positions = {
  single: Uint8Array;
  ranks: Uint16Array | Uint32Array;
  starts: Uint16Array | Uint32Array;
  list: Uint16Array | Uint32Array;
  lastFlag: number;
};

const noEntries = new Uint32Array(0);
const wideFlag = 0x80000000;

function makePositions(bytes: Uint8Array, posts: number): Positions {
  if (bytes.length === posts) {
    return {
      single: bytes,
      ranks: noEntries,
      starts: noEntries,
      list: noEntries,
      lastFlag: wideFlag,
    };
  }
  if (bytes.length < posts + 8)
    throw new MalformedDataError(`its positions have ${bytes.length} bytes for ${posts} posts`);
  const { buffer, byteOffset } = bytes;
  const [head = 0, items = 0] = new Uint32Array(buffer, byteOffset, 2);
  const isWide = head >= wideFlag;
  const listedPosts = isWide ? head - wideFlag : head;
  const entryCount = 2 * listedPosts + items;
  const offset = 8 + (isWide ? 4 * entryCount : Math.ceil(entryCount / 2) * 4);
  if (bytes.length !== offset + posts)
    throw new MalformedDataError(`its positions have ${bytes.length} bytes, not ${offset + posts}`);
  const table = isWide
    ? new Uint32Array(buffer, byteOffset + 8, entryCount)
    : new Uint16Array(buffer, byteOffset + 8, entryCount);
  if (
    !isWide &&
    entryCount % 2 === 1 &&
    new Uint16Array(buffer, byteOffset + offset - 2, 1)[0] !== 0
  )
    throw new MalformedDataError("its list of positions has nonzero padding");
  return {
    single: bytes.subarray(offset),
    ranks: table.subarray(0, listedPosts),
    starts: table.subarray(listedPosts, 2 * listedPosts),
    list: table.subarray(2 * listedPosts),
    lastFlag: isWide ? wideFlag : 0x8000,
  };
}
