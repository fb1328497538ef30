import type { DatabaseSync } from "node:sqlite";
import {
  bytesOfBitmap,
  bytesOfContainer,
  densePosts,
  maxOneRowPosts,
  postsOfChunk,
  wordsOfBitmap,
} from "./format.ts";
import type { Postings } from "./postings.ts";
import { seek } from "./seek.ts";
import { sealedRowSum } from "./sums.ts";

export type PostingWriter = {
  count(postings: Postings): Uint32Array;
  write(postings: Postings, holdsPositions: boolean): Generator<"worked", number>;
};

/** `chunks`: of the whole index. The caller owns the transaction. */
export function createPostingWriter(database: DatabaseSync, chunks: number): PostingWriter {
  const insertDocs = database.prepare("INSERT INTO sealed_docs VALUES (?, ?, ?)");
  const insertPositions = database.prepare("INSERT INTO sealed_positions VALUES (?, ?, ?)");
  const cards = new Uint32Array(chunks);
  let nextRow = 0;

  function writeRow(
    row: number,
    postings: Postings,
    from: number,
    to: number,
    holdsPositions: boolean,
  ): void {
    const docs = containers(postings.numbers, from, to);
    insertDocs.run(row, docs, sealedRowSum("docs", row, docs));
    if (!holdsPositions) return;
    const positions = positionBytes(postings, from, to);
    insertPositions.run(row, positions, sealedRowSum("positions", row, positions));
  }

  return {
    count({ numbers, posts }) {
      cards.fill(0);
      for (let n = 0; n < posts; n += 1) {
        const chunk = (numbers[n] as number) >>> 16;
        cards[chunk] = (cards[chunk] as number) + 1;
      }
      return cards;
    },
    *write(postings, holdsPositions) {
      const first = nextRow;
      if (postings.posts <= maxOneRowPosts) {
        nextRow += 1;
        writeRow(first, postings, 0, postings.posts, holdsPositions);
        return first;
      }
      nextRow += chunks;
      let from = 0;
      for (let chunk = 0; chunk < chunks; chunk += 1) {
        const to = from + (cards[chunk] as number);
        if (to === from) continue;
        writeRow(first + chunk, postings, from, to, holdsPositions);
        from = to;
        yield "worked";
      }
      return first;
    },
  };
}

function containers(numbers: Uint32Array, from: number, to: number): Uint8Array {
  const ends: number[] = [];
  let bytes = 0;
  for (let start = from; start < to; ) {
    const chunk = (numbers[start] as number) >>> 16;
    const end = seek(numbers, start, to, (chunk + 1) * postsOfChunk);
    bytes += bytesOfContainer(end - start);
    ends.push(end);
    start = end;
  }
  const buffer = new ArrayBuffer(bytes);
  let at = 0;
  let start = from;
  for (const end of ends) {
    if (end - start >= densePosts) {
      const bits = new Uint32Array(buffer, at, wordsOfBitmap);
      for (let n = start; n < end; n += 1) {
        const number = (numbers[n] as number) & 0xffff;
        bits[number >>> 5] = (bits[number >>> 5] as number) | (1 << (number & 31));
      }
      at += bytesOfBitmap;
    } else {
      const list = new Uint16Array(buffer, at, end - start);
      for (let n = start; n < end; n += 1) list[n - start] = (numbers[n] as number) & 0xffff;
      at += bytesOfContainer(end - start);
    }
    start = end;
  }
  return new Uint8Array(buffer);
}

const lateFrom = 255;
const highestNarrow = 0x7fff;

function positionBytes(postings: Postings, from: number, to: number): Uint8Array {
  const { starts, counts, positions } = postings;
  let overflowing = 0;
  let items = 0;
  let highest = 0;
  for (let n = from; n < to; n += 1) {
    const count = counts[n] as number;
    const last = positions[(starts[n] as number) + count - 1] as number;
    if (count === 1 && last < lateFrom) continue;
    overflowing += 1;
    items += count;
    if (last > highest) highest = last;
  }
  const isWide = highest > highestNarrow || items > 0xffff;
  const itemsOfTable = overflowing * 2 + items;
  const bytesOfItems = isWide ? itemsOfTable * 4 : ((itemsOfTable + 1) >> 1) * 4;
  const buffer = new ArrayBuffer((overflowing > 0 ? 8 + bytesOfItems : 0) + to - from);
  const bytes = new Uint8Array(buffer, buffer.byteLength - (to - from));
  if (overflowing > 0) {
    const head = new Uint32Array(buffer, 0, 2);
    head[0] = isWide ? overflowing + 0x8000_0000 : overflowing;
    head[1] = items;
  }
  const lastMark = isWide ? 0x8000_0000 : 0x8000;
  const tableAt = overflowing > 0 ? 8 : 0;
  const table = isWide
    ? new Uint32Array(buffer, tableAt, itemsOfTable)
    : new Uint16Array(buffer, tableAt, itemsOfTable);
  let rank = 0;
  let item = overflowing * 2;
  for (let n = from; n < to; n += 1) {
    const start = starts[n] as number;
    const count = counts[n] as number;
    const first = positions[start] as number;
    if (count === 1 && first < lateFrom) {
      bytes[n - from] = first;
      continue;
    }
    bytes[n - from] = lateFrom;
    table[rank] = n - from;
    table[overflowing + rank] = item - overflowing * 2;
    rank += 1;
    for (let position = start; position < start + count; position += 1) {
      const isLast = position + 1 === start + count;
      table[item++] = (positions[position] as number) + (isLast ? lastMark : 0);
    }
  }
  return new Uint8Array(buffer);
}
