import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { type ByteReader, createByteWriter, replaceEnd } from "./bytes.ts";
import { readMembers } from "./chunk-set.ts";
import { missingRows, SealedDamageError } from "./damage.ts";
import { readDeletionBitmap } from "./deletion-bitmap.ts";
import { checkedBlock, type DictionaryHeader, dictionaryColumns } from "./dictionary.ts";
import { createEntries, dictionaryEntry, nextEntry, openBlock } from "./dictionary-entries.ts";
import type { DocNumberLookup } from "./doc-number-lookup.ts";
import { openIdPages } from "./doc-numbers.ts";
import { chunkCount, maxInlinePosts, postsPerChunk, wordsPerBitmap } from "./format.ts";
import { countIndex, type IndexCounts } from "./index-counts.ts";
import { readListedPositions, readNumbers } from "./inline-list.ts";
import { listMarker, type Positions, rankStart } from "./positions.ts";
import type { PostingList } from "./posting-list.ts";
import { openPostingRows } from "./posting-rows.ts";
import { addPosition, addPost, type Postings } from "./postings.ts";
import { readPostingList } from "./read-posting-list.ts";
import { readableState, readSealedHeader } from "./sealed-state.ts";
import { compareTerms, type TermSource } from "./term-source.ts";

const pagesPerStep = 256;

/**
 * The terms of a sealed index under new doc numbers, without replaced posts but with hidden ones.
 * Null if the segment is not sealed.
 */
export function* sealedSource(
  database: DatabaseSync,
  lookup: DocNumberLookup,
  indexCounts: IndexCounts,
): Generator<"worked", TermSource | null> {
  if (readableState(database) === null) return null;
  const { first, hasChecksums } = readSealedHeader(database);
  const newNumbers = yield* renumber(database, lookup);
  for (const number of newNumbers) if (number >= 0) countIndex(indexCounts, number);
  return readTerms(database, newNumbers, { first, hasChecksums });
}

/** Maps old doc numbers to new ones; -1 for replaced posts. */
function* renumber(
  database: DatabaseSync,
  lookup: DocNumberLookup,
): Generator<"worked", Int32Array> {
  const { posts, firstIds, read } = openIdPages(database, database.location() ?? "the segment");
  const newNumbers = new Int32Array(posts);
  let number = 0;
  for (let page = 0; page < firstIds.length; page += 1) {
    const ids = read(page);
    const halves = new Int32Array(ids.buffer, ids.byteOffset, ids.length * 2);
    for (let half = 0; half < halves.length; half += 2) {
      newNumbers[number++] = lookup(halves[half + 1] as number, (halves[half] as number) >>> 0);
    }
    if (page % pagesPerStep === pagesPerStep - 1) yield "worked";
  }
  const deletions = readDeletionBitmap(database);
  for (let chunk = 0; chunk < chunkCount(posts); chunk += 1) {
    const chunkNumbers = newNumbers.subarray(chunk * postsPerChunk, (chunk + 1) * postsPerChunk);
    markReplaced(chunkNumbers, deletions.replacedSet(chunk)?.bits ?? noBits);
  }
  return newNumbers;
}

/** Errors: `archive_damaged` if a post that is not replaced has no row. */
function markReplaced(newNumbers: Int32Array, replacedBits: Uint32Array): void {
  for (let number = 0; number < newNumbers.length; number += 1) {
    const isReplaced = (((replacedBits[number >>> 5] as number) >>> (number & 31)) & 1) === 1;
    if (isReplaced) newNumbers[number] = -1;
    else if ((newNumbers[number] as number) < 0) throw missingRows();
  }
}

const noBits = new Uint32Array(wordsPerBitmap);

function* readBlocks(
  database: DatabaseSync,
  { first, hasChecksums }: Omit<DictionaryHeader, "posts">,
): Generator<unknown, void> {
  const columns = dictionaryColumns({ hasChecksums });
  const selectBlocks = database.prepare(`SELECT ${columns} FROM sealed_terms ORDER BY first`);
  selectBlocks.setReturnArrays(true);
  let next = first;
  for (const row of selectBlocks.iterate()) {
    if (!hasChecksums) {
      yield (row as unknown as unknown[])[1];
      continue;
    }
    const block = checkedBlock(row);
    if (next === null || Buffer.compare(next, block.first) !== 0) throw missingBlock();
    yield block.block;
    next = block.next;
  }
  if (next !== null) throw missingBlock();
}

const missingBlock = (): SealedDamageError =>
  new SealedDamageError("a dictionary block is missing or out of place");

function readTerms(
  database: DatabaseSync,
  newNumbers: Int32Array,
  { first, hasChecksums }: Omit<DictionaryHeader, "posts">,
): TermSource {
  const blocks = readBlocks(database, { first, hasChecksums });
  const rows = openPostingRows(database, { posts: newNumbers.length, hasChecksums });
  const entries = createEntries(newNumbers.length);
  const reader: ByteReader = { bytes: entries.bytes, offset: 0 };
  const previousTerm = createByteWriter(1_024);
  const numbers = new Uint32Array(maxInlinePosts);
  const chunkMembers = new Uint16Array(postsPerChunk);
  /** Null for postings inlined in the dictionary. */
  let list: PostingList | null = null;
  let chunk = 0;

  function nextBlock(): boolean {
    const block = blocks.next();
    if (block.done) return false;
    replaceEnd(previousTerm, 0, entries.term.bytes, 0, entries.term.length);
    openBlock(entries, block.value);
    nextEntry(entries);
    if (compareTerms(previousTerm, entries.term) >= 0) {
      throw new SealedDamageError("the dictionary blocks are out of order");
    }
    return true;
  }

  function takeInline(postings: Postings): void {
    const { posts, isPositional } = entries;
    reader.bytes = entries.bytes;
    reader.offset = entries.bodyOffset;
    readNumbers(reader, posts, newNumbers.length, storeNumber);
    const add = (position: number): void => addPosition(postings, position);
    for (let n = 0; n < posts; n += 1) {
      const number = newNumbers[numbers[n] as number] as number;
      if (number >= 0) addPost(postings, number);
      if (isPositional) readListedPositions(reader, number < 0 ? ignorePosition : add);
    }
  }

  function storeNumber(number: number, index: number): void {
    numbers[index] = number;
  }

  function takeChunk(postingList: PostingList, chunk: number, postings: Postings): void {
    const set = postingList.set(chunk);
    const count = readMembers(set, 0, postsPerChunk, chunkMembers, postsPerChunk);
    const first = chunk * postsPerChunk;
    const positions = entries.isPositional && count > 0 ? postingList.positions(set) : null;
    for (let n = 0; n < count; n += 1) {
      const number = newNumbers[first + (chunkMembers[n] as number)] as number;
      if (number < 0) continue;
      addPost(postings, number);
      if (positions !== null) takePositions(positions, set.base + n, postings);
    }
  }

  return {
    term: entries.term,
    isPositional: () => entries.isPositional,
    next() {
      if (!nextEntry(entries) && !nextBlock()) return false;
      chunk = 0;
      list =
        entries.posts > maxInlinePosts
          ? readPostingList(dictionaryEntry(entries), rows, ignoreSize)
          : null;
      return true;
    },
    take(postings, max) {
      if (list === null) {
        takeInline(postings);
        return true;
      }
      const { counts } = list;
      for (let postingsRead = 0; chunk < counts.length && postingsRead < max; chunk += 1) {
        const count = counts[chunk] as number;
        if (count > 0) takeChunk(list, chunk, postings);
        postingsRead += count;
      }
      return chunk === counts.length;
    },
    close() {
      blocks.return?.();
    },
  };
}

function takePositions(positions: Positions, rank: number, postings: Postings): void {
  const singlePosition = positions.bytes[rank] as number;
  if (singlePosition !== listMarker) {
    addPosition(postings, singlePosition);
    return;
  }
  const { list, lastBit } = positions;
  let previous = -1;
  for (let item = rankStart(positions, rank), isLast = false; !isLast; item += 1) {
    const value = list[item] as number;
    isLast = value >= lastBit;
    const position = isLast ? value - lastBit : value;
    if (position <= previous) throw new SealedDamageError("a post's positions are out of order");
    addPosition(postings, position);
    previous = position;
  }
}

/** Positions have no stored length, so they can be skipped only by reading them. */
const ignorePosition = (): void => undefined;
const ignoreSize = (): void => undefined;
