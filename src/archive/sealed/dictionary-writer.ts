import type { DatabaseSync } from "node:sqlite";
import {
  type Bytes,
  type ByteWriter,
  createByteWriter,
  replaceEnd,
  reserve,
  varintReserveBytes,
  writeVarint,
} from "./bytes.ts";
import { blockChecksum } from "./checksums.ts";
import { dictionaryBlockBytes } from "./format.ts";
import type { Postings } from "./postings.ts";

/** Terms must ascend by their UTF-8 bytes. */
export type DictionaryWriter = {
  addInline(term: Bytes, postings: Postings, isPositional: boolean): void;
  /** `row` is the first row of the postings; `chunkCounts` are the posts in each chunk. */
  addRows(term: Bytes, posts: number, row: number, chunkCounts: Uint32Array): void;
  end(): Uint8Array | null;
};

export function createDictionaryWriter(database: DatabaseSync): DictionaryWriter {
  // Bound as bytes, because FTS5 may truncate a token within a character.
  const insert = database.prepare("INSERT INTO sealed_terms VALUES (CAST(? AS TEXT), ?, ?)");
  const block = createByteWriter(2 * dictionaryBlockBytes);
  const first = createByteWriter(1_024);
  const previous = createByteWriter(1_024);
  const tail = createByteWriter(1_024);

  let firstTerm: Uint8Array | null = null;

  function endBlock(next: Uint8Array | null): void {
    if (block.length === 0) return;
    const [term, bytes] = [writtenBytes(first), writtenBytes(block)];
    insert.run(term, bytes, blockChecksum(term, next, bytes));
    firstTerm ??= Uint8Array.from(term);
    block.length = 0;
    previous.length = 0;
  }

  function add(term: Bytes, posts: number): void {
    const shared = sharedPrefixLength(previous, term);
    const suffixLength = term.length - shared;
    const header = suffixLength * 2 + (posts === 1 ? 1 : 0);
    const bytes = varintBytes(shared) + varintBytes(header) + suffixLength + tail.length;
    if (block.length > 0 && first.length + block.length + bytes > dictionaryBlockBytes) {
      endBlock(term.bytes.subarray(0, term.length));
      add(term, posts);
      return;
    }
    if (block.length === 0) replaceEnd(first, 0, term.bytes, 0, term.length);
    reserve(block, bytes);
    writeVarint(block, shared);
    writeVarint(block, header);
    replaceEnd(block, block.length, term.bytes, shared, term.length);
    replaceEnd(block, block.length, tail.bytes, 0, tail.length);
    replaceEnd(previous, shared, term.bytes, shared, term.length);
  }

  return {
    addInline(term, postings, isPositional) {
      tail.length = 0;
      writeInline(tail, postings, isPositional);
      add(term, postings.posts);
    },
    addRows(term, posts, row, chunkCounts) {
      tail.length = 0;
      reserve(tail, (2 + chunkCounts.length) * varintReserveBytes);
      writeVarint(tail, posts);
      writeVarint(tail, row);
      for (const count of chunkCounts) writeVarint(tail, count);
      add(term, posts);
    },
    end: () => {
      endBlock(null);
      return firstTerm;
    },
  };
}

function writeInline(writer: ByteWriter, postings: Postings, isPositional: boolean): void {
  const { posts, numbers, starts, counts, positions } = postings;
  reserve(writer, (1 + posts + postings.positionCount) * varintReserveBytes);
  if (posts > 1) writeVarint(writer, posts);
  let last = 0;
  for (let n = 0; n < posts; n += 1) {
    const number = numbers[n] as number;
    writeVarint(writer, number - last);
    last = number;
  }
  if (!isPositional) return;
  for (let n = 0; n < posts; n += 1) {
    const start = starts[n] as number;
    const end = start + (counts[n] as number);
    let lastPosition = 0;
    for (let location = start; location < end; location += 1) {
      const position = positions[location] as number;
      writeVarint(writer, (position - lastPosition) * 2 + (location + 1 < end ? 1 : 0));
      lastPosition = position;
    }
  }
}

const writtenBytes = ({ bytes, length }: ByteWriter): Buffer => bytes.subarray(0, length);

function sharedPrefixLength(previous: Bytes, term: Bytes): number {
  const max = Math.min(previous.length, term.length);
  let shared = 0;
  while (shared < max && previous.bytes[shared] === term.bytes[shared]) shared += 1;
  return shared;
}

const varintBytes = (value: number): number => (value < 0x80 ? 1 : value < 0x4000 ? 2 : 3);
