import type { DatabaseSync } from "node:sqlite";
import { sealedRowChecksum } from "./checksums.ts";
import {
  bytesPerBitmap,
  containerBytes,
  maxOneRowPosts,
  minBitmapPosts,
  postsPerChunk,
  wordsPerBitmap,
} from "./format.ts";
import type { Postings } from "./postings.ts";
import { seek } from "./seek.ts";

export type PostingWriter = {
  count(postings: Postings): Uint32Array;
  write(postings: Postings, isPositional: boolean): Generator<"worked", number>;
};

/** Requires a transaction. */
export function createPostingWriter(database: DatabaseSync, chunks: number): PostingWriter {
  const insertDocs = database.prepare("INSERT INTO sealed_docs VALUES (?, ?, ?)");
  const insertPositions = database.prepare("INSERT INTO sealed_positions VALUES (?, ?, ?)");
  const chunkCounts = new Uint32Array(chunks);
  let nextRow = 0;

  function writeRow(
    row: number,
    postings: Postings,
    from: number,
    to: number,
    isPositional: boolean,
  ): void {
    const docs = encodeContainers(postings.numbers, from, to);
    insertDocs.run(row, docs, sealedRowChecksum("docs", row, docs));
    if (!isPositional) return;
    const positions = encodePositions(postings, from, to);
    insertPositions.run(row, positions, sealedRowChecksum("positions", row, positions));
  }

  return {
    count({ numbers, posts }) {
      chunkCounts.fill(0);
      for (let n = 0; n < posts; n += 1) {
        const chunk = (numbers[n] as number) >>> 16;
        chunkCounts[chunk] = (chunkCounts[chunk] as number) + 1;
      }
      return chunkCounts;
    },
    *write(postings, isPositional) {
      const first = nextRow;
      if (postings.posts <= maxOneRowPosts) {
        nextRow += 1;
        writeRow(first, postings, 0, postings.posts, isPositional);
        return first;
      }
      nextRow += chunks;
      let from = 0;
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        const to = from + (chunkCounts[chunk] as number);
        if (to === from) continue;
        writeRow(first + chunk, postings, from, to, isPositional);
        from = to;
        yield "worked";
      }
      return first;
    },
  };
}

function encodeContainers(numbers: Uint32Array, from: number, to: number): Uint8Array {
  const ends: number[] = [];
  let bytes = 0;
  for (let start = from; start < to; ) {
    const chunk = (numbers[start] as number) >>> 16;
    const end = seek(numbers, start, to, (chunk + 1) * postsPerChunk);
    bytes += containerBytes(end - start);
    ends.push(end);
    start = end;
  }
  const buffer = new ArrayBuffer(bytes);
  let offset = 0;
  let start = from;
  for (const end of ends) {
    if (end - start >= minBitmapPosts) {
      const bits = new Uint32Array(buffer, offset, wordsPerBitmap);
      for (let n = start; n < end; n += 1) {
        const number = (numbers[n] as number) & 0xffff;
        bits[number >>> 5] = (bits[number >>> 5] as number) | (1 << (number & 31));
      }
      offset += bytesPerBitmap;
    } else {
      const list = new Uint16Array(buffer, offset, end - start);
      for (let n = start; n < end; n += 1) list[n - start] = (numbers[n] as number) & 0xffff;
      offset += containerBytes(end - start);
    }
    start = end;
  }
  return new Uint8Array(buffer);
}

const overflowMarker = 255;
const maxNarrowPosition = 0x7fff;

function encodePositions(postings: Postings, from: number, to: number): Uint8Array {
  const { starts, counts, positions } = postings;
  let listedPosts = 0;
  let items = 0;
  let highestPosition = 0;
  for (let n = from; n < to; n += 1) {
    const count = counts[n] as number;
    const last = positions[(starts[n] as number) + count - 1] as number;
    if (count === 1 && last < overflowMarker) continue;
    listedPosts += 1;
    items += count;
    if (last > highestPosition) highestPosition = last;
  }
  const isWide = highestPosition > maxNarrowPosition || items > 0xffff;
  const tableItems = listedPosts * 2 + items;
  const itemBytes = isWide ? tableItems * 4 : ((tableItems + 1) >> 1) * 4;
  const buffer = new ArrayBuffer((listedPosts > 0 ? 8 + itemBytes : 0) + to - from);
  const bytes = new Uint8Array(buffer, buffer.byteLength - (to - from));
  if (listedPosts > 0) {
    const header = new Uint32Array(buffer, 0, 2);
    header[0] = isWide ? listedPosts + 0x8000_0000 : listedPosts;
    header[1] = items;
  }
  const lastFlag = isWide ? 0x8000_0000 : 0x8000;
  const tableOffset = listedPosts > 0 ? 8 : 0;
  const table = isWide
    ? new Uint32Array(buffer, tableOffset, tableItems)
    : new Uint16Array(buffer, tableOffset, tableItems);
  let rank = 0;
  let item = listedPosts * 2;
  for (let n = from; n < to; n += 1) {
    const start = starts[n] as number;
    const count = counts[n] as number;
    const first = positions[start] as number;
    if (count === 1 && first < overflowMarker) {
      bytes[n - from] = first;
      continue;
    }
    bytes[n - from] = overflowMarker;
    table[rank] = n - from;
    table[listedPosts + rank] = item - listedPosts * 2;
    rank += 1;
    for (let position = start; position < start + count; position += 1) {
      const isLast = position + 1 === start + count;
      table[item++] = (positions[position] as number) + (isLast ? lastFlag : 0);
    }
  }
  return new Uint8Array(buffer);
}
