import {
  type ByteReader,
  type ByteWriter,
  createByteWriter,
  readVarint,
  replaceEnd,
  skipPositions,
  skipVarints,
} from "./bytes.ts";
import { SealedDamage } from "./damage.ts";
import { chunkCount, inlinePosts } from "./format.ts";
import { isPositionalTermBytes } from "./sealed-query.ts";

export type DictionaryEntry = {
  posts: number;
  isPositional: boolean;
  rest: Uint8Array;
};

export type Entries = ByteReader & {
  readonly totalPosts: number;
  readonly chunks: number;
  readonly term: ByteWriter;
  shared: number;
  posts: number;
  isPositional: boolean;
  /** Offset after the number of posts. The entry ends at `at`. */
  begin: number;
};

const usualTermBytes = 256;

export const createEntries = (posts: number): Entries => ({
  totalPosts: posts,
  chunks: chunkCount(posts),
  bytes: new Uint8Array(0),
  at: 0,
  term: createByteWriter(usualTermBytes),
  shared: 0,
  posts: 0,
  isPositional: false,
  begin: 0,
});

export function openBlock(entries: Entries, block: unknown): void {
  if (!(block instanceof Uint8Array) || block.length === 0) {
    throw new SealedDamage("a block of the dictionary is missing or empty");
  }
  entries.bytes = block;
  entries.at = 0;
  entries.term.length = 0;
}

export function nextEntry(entries: Entries): boolean {
  if (entries.at >= entries.bytes.length) return false;
  const isSingle = readTerm(entries);
  const posts = isSingle ? 1 : readVarint(entries);
  if (posts === 0 || posts > entries.totalPosts) {
    throw new SealedDamage("a term is in more posts than there are, or in none");
  }
  entries.posts = posts;
  entries.isPositional = isPositionalTermBytes(entries.term.bytes, entries.term.length);
  entries.begin = entries.at;
  if (posts > inlinePosts) {
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
  const added = Math.floor(header / 2);
  const from = entries.at;
  if (shared > term.length || added === 0 || from + added > bytes.length) {
    throw new SealedDamage("a term of the dictionary is malformed");
  }
  if (shared < term.length && (bytes[from] as number) <= (term.bytes[shared] as number)) {
    throw new SealedDamage("terms of the dictionary are not in order");
  }
  replaceEnd(term, shared, bytes, from, from + added);
  entries.shared = shared;
  entries.at = from + added;
  return header % 2 === 1;
}

export const dictionaryEntry = ({
  posts,
  isPositional,
  bytes,
  begin,
  at,
}: Entries): DictionaryEntry => ({
  posts,
  isPositional,
  rest: bytes.slice(begin, at),
});
