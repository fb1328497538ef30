import { type ByteReader, readVarint, skipPositions, skipVarints } from "./byte-reader.ts";
import { type ByteWriter, createByteWriter, replaceEnd } from "./byte-writer.ts";
import { SealedDamage } from "./damage.ts";
import { chunksOf, inlinePosts } from "./format.ts";
import { hasPositions } from "./positional-terms.ts";

/** What the dictionary says of a term. */
export type DictionaryEntry = {
  /** How many posts hold it. */
  posts: number;
  /** Whether it keeps where it stands in them. */
  positioned: boolean;
  /** What follows in the entry, up to its end. */
  rest: Uint8Array;
};

/** The entries of a block, one after the other. */
export type Entries = ByteReader & {
  readonly totalPosts: number;
  readonly chunks: number;
  /** The term of the entry; the first `shared` of its bytes are those of the entry before. */
  readonly term: ByteWriter;
  shared: number;
  posts: number;
  positioned: boolean;
  /** Where what follows the number of posts begins; it ends where the reader stands. */
  begin: number;
};

/** Terms are short: most blocks never need more room for one than this, bytes. */
const usualTermBytes = 256;

/** Entries of a sealed segment of so many posts; a block is yet to be opened. */
export const createEntries = (posts: number): Entries => ({
  totalPosts: posts,
  chunks: chunksOf(posts),
  bytes: new Uint8Array(0),
  at: 0,
  term: createByteWriter(usualTermBytes),
  shared: 0,
  posts: 0,
  positioned: false,
  begin: 0,
});

/** Stands before the first entry of a block. Throws `SealedDamage` where it holds none. */
export function openBlock(entries: Entries, block: unknown): void {
  if (!(block instanceof Uint8Array) || block.length === 0) {
    throw new SealedDamage("a block of the dictionary is empty");
  }
  entries.bytes = block;
  entries.at = 0;
  entries.term.length = 0;
}

/** Goes to the next entry; false behind the last one. Throws `SealedDamage` where it is malformed. */
export function nextEntry(entries: Entries): boolean {
  if (entries.at >= entries.bytes.length) return false;
  const isSingle = readTerm(entries);
  const posts = isSingle ? 1 : readVarint(entries);
  if (posts === 0 || posts > entries.totalPosts) {
    throw new SealedDamage("a term is in more posts than there are, or in none");
  }
  entries.posts = posts;
  entries.positioned = hasPositions(entries.term.bytes, entries.term.length);
  entries.begin = entries.at;
  if (posts > inlinePosts) {
    skipVarints(entries, 1 + entries.chunks);
    return true;
  }
  skipVarints(entries, posts);
  if (entries.positioned) skipPositions(entries, posts);
  return true;
}

/** Reads the term of the entry that begins here over the one before; says whether it has a single post. */
function readTerm(entries: Entries): boolean {
  const { bytes, term } = entries;
  const shared = readVarint(entries);
  const marked = readVarint(entries);
  const added = Math.floor(marked / 2);
  const from = entries.at;
  if (shared > term.length || added === 0 || from + added > bytes.length) {
    throw new SealedDamage("a term of the dictionary is cut off");
  }
  if (shared < term.length && (bytes[from] as number) <= (term.bytes[shared] as number)) {
    throw new SealedDamage("terms of the dictionary are not in order");
  }
  replaceEnd(term, shared, bytes, from, from + added);
  entries.shared = shared;
  entries.at = from + added;
  return marked % 2 === 1;
}

/** The entry at which the entries stand, with a copy of its bytes. */
export const entryOf = ({ posts, positioned, bytes, begin, at }: Entries): DictionaryEntry => ({
  posts,
  positioned,
  rest: bytes.slice(begin, at),
});
