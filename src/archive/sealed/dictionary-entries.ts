import {
  type ByteReader,
  type ByteWriter,
  createByteWriter,
  readVarint,
  replaceEnd,
  skipPositions,
  skipVarints,
} from "./bytes.ts";
import { SealedDamageError } from "./damage.ts";
import { chunkCount, maxInlinePosts } from "./format.ts";
import { isPositionalTermBytes } from "./sealed-query.ts";

export type DictionaryEntry = {
  posts: number;
  isPositional: boolean;
  body: Uint8Array;
};

export type Entries = ByteReader & {
  readonly totalPosts: number;
  readonly chunks: number;
  readonly term: ByteWriter;
  shared: number;
  posts: number;
  isPositional: boolean;
  /** Offset after the number of posts. The entry ends at `offset`. */
  bodyOffset: number;
};

const usualTermBytes = 256;

export const createEntries = (posts: number): Entries => ({
  totalPosts: posts,
  chunks: chunkCount(posts),
  bytes: new Uint8Array(0),
  offset: 0,
  term: createByteWriter(usualTermBytes),
  shared: 0,
  posts: 0,
  isPositional: false,
  bodyOffset: 0,
});

export function openBlock(entries: Entries, block: unknown): void {
  if (!(block instanceof Uint8Array) || block.length === 0) {
    throw new SealedDamageError("a dictionary block is missing or empty");
  }
  entries.bytes = block;
  entries.offset = 0;
  entries.term.length = 0;
}

export function nextEntry(entries: Entries): boolean {
  if (entries.offset >= entries.bytes.length) return false;
  const isSingle = readTerm(entries);
  const posts = isSingle ? 1 : readVarint(entries);
  if (posts === 0 || posts > entries.totalPosts) {
    throw new SealedDamageError("a term is in more posts than there are, or in none");
  }
  entries.posts = posts;
  entries.isPositional = isPositionalTermBytes(entries.term.bytes, entries.term.length);
  entries.bodyOffset = entries.offset;
  if (posts > maxInlinePosts) {
    skipVarints(entries, 1 + entries.chunks);
    return true;
  }
  skipVarints(entries, posts);
  if (entries.isPositional) skipPositions(entries, posts);
  return true;
}

function readTerm(entries: Entries): boolean {
  const { bytes, term } = entries;
  const shared = readVarint(entries);
  const header = readVarint(entries);
  const suffixLength = Math.floor(header / 2);
  const suffixOffset = entries.offset;
  if (shared > term.length || suffixLength === 0 || suffixOffset + suffixLength > bytes.length) {
    throw new SealedDamageError("a dictionary term is malformed");
  }
  if (shared < term.length && (bytes[suffixOffset] as number) <= (term.bytes[shared] as number)) {
    throw new SealedDamageError("dictionary terms are not in order");
  }
  replaceEnd(term, shared, bytes, suffixOffset, suffixOffset + suffixLength);
  entries.shared = shared;
  entries.offset = suffixOffset + suffixLength;
  return header % 2 === 1;
}

export const dictionaryEntry = ({
  posts,
  isPositional,
  bytes,
  bodyOffset,
  offset,
}: Entries): DictionaryEntry => ({
  posts,
  isPositional,
  body: bytes.slice(bodyOffset, offset),
});
