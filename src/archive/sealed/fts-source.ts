import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import { createByteWriter, replaceEnd } from "./bytes.ts";
import type { DocNumberLookup } from "./doc-number-lookup.ts";
import { type FtsPiece, pieceShift, readFtsPieces, unreadableFts } from "./fts-structure.ts";
import { addToTally, type Tally } from "./fts-tally.ts";
import { readDeletedPosts } from "./fts-tombstones.ts";
import { addPosition, addPost, type Postings } from "./postings.ts";
import { isPositionalTermBytes } from "./sealed-query.ts";
import type { TermSource } from "./term-source.ts";

/**
 * One source per FTS5 segment, oldest first. Parses FTS5's own tables, because fts5vocab takes four
 * times as long. Reads only committed data.
 */
export function* ftsSources(
  database: DatabaseSync,
  posts: number,
  lookup: DocNumberLookup,
  tally: Tally,
): Generator<"worked", TermSource[]> {
  const sources: TermSource[] = [];
  for (const piece of readFtsPieces(database)) {
    const deletedBits = yield* readDeletedPosts(database, piece, posts, lookup);
    sources.push(pieceSource(readLeaves(database, piece), lookup, deletedBits, tally));
  }
  return sources;
}

const readLeaves = (
  database: DatabaseSync,
  { id, firstLeaf, lastLeaf }: FtsPiece,
): Iterator<Record<string, SQLOutputValue>> =>
  database
    .prepare(
      `SELECT block FROM term_data
       WHERE id BETWEEN (?1 << ${pieceShift}) + ?2 AND (?1 << ${pieceShift}) + ?3 ORDER BY id`,
    )
    .iterate(id, firstLeaf, lastLeaf);

/**
 * A leaf starts with two 16-bit offsets: of the first rowid that is not a delta, and of the end of
 * its contents, where term offsets begin. Overflow continues at the fifth byte of the next leaf.
 */
function pieceSource(
  leaves: Iterator<Record<string, SQLOutputValue>>,
  lookup: DocNumberLookup,
  deletedBits: Uint32Array | null,
  tally: Tally,
): TermSource {
  let leaf: Uint8Array = new Uint8Array();
  let offset = 0;
  let end = 0;
  let fullRowidOffset = 0;
  let nextTermOffset = 0;
  let isFirstTerm = true;
  let footerOffset = 0;
  let isExhausted = false;

  const term = createByteWriter(1_024);
  let isPositional = false;
  /** The current ID, as unsigned halves. */
  let high = 0;
  let low = 0;
  let isFirstPost = true;

  function nextLeaf(): boolean {
    const next = leaves.next();
    if (next.done) return false;
    const { block } = next.value;
    if (!(block instanceof Uint8Array) || block.length < 4)
      throw unreadableFts("a leaf is malformed");
    leaf = block;
    fullRowidOffset = (leaf[0] as number) * 256 + (leaf[1] as number);
    end = (leaf[2] as number) * 256 + (leaf[3] as number);
    if (end < 4 || end > leaf.length) throw unreadableFts("a leaf is malformed");
    offset = 4;
    footerOffset = end;
    nextTermOffset = 0;
    isFirstTerm = true;
    findNextTerm();
    return true;
  }

  function findNextTerm(): void {
    if (footerOffset >= leaf.length) {
      nextTermOffset = afterLeaf;
      return;
    }
    let distance = 0;
    for (let byte = 0x80; byte >= 0x80; ) {
      byte = leaf[footerOffset++] as number;
      distance = distance * 128 + (byte & 0x7f);
    }
    nextTermOffset += distance;
  }

  function readVarint(): number {
    let byte = leaf[offset++] as number;
    if (byte < 0x80) return byte;
    let value = byte & 0x7f;
    do {
      byte = leaf[offset++] as number;
      value = (value << 7) | (byte & 0x7f);
    } while (byte >= 0x80);
    return value;
  }

  /** Reads an ID, or its delta from the previous ID. */
  function readRowid(isWhole: boolean): void {
    let upper = 0;
    let lower = 0;
    let bytes = 0;
    let byte = 0x80;
    while (byte >= 0x80 && bytes < 4) {
      byte = leaf[offset++] as number;
      upper = (upper << 7) | (byte & 0x7f);
      bytes += 1;
    }
    let extraBytes = 0;
    while (byte >= 0x80 && extraBytes < 4) {
      byte = leaf[offset++] as number;
      lower = (lower << 7) | (byte & 0x7f);
      extraBytes += 1;
    }
    let addedHigh = 0;
    let addedLow = upper;
    if (byte >= 0x80) {
      addedHigh = upper * 16 + (lower >>> 24);
      addedLow = (lower & 0xffffff) * 256 + (leaf[offset++] as number);
    } else if (extraBytes > 0) {
      const bits = extraBytes * 7;
      addedHigh = upper >>> (32 - bits);
      addedLow = ((upper << bits) | lower) >>> 0;
    }
    if (isWhole) {
      high = addedHigh;
      low = addedLow;
      return;
    }
    low += addedLow;
    high += addedHigh;
    if (low >= 0x1_0000_0000) {
      low -= 0x1_0000_0000;
      high += 1;
    }
  }

  function readTerm(): void {
    const sharedLength = isFirstTerm ? 0 : readVarint();
    const suffixLength = readVarint();
    if (sharedLength > term.length + 1 || suffixLength === 0 || offset + suffixLength > end)
      throw unreadableFts("a term is truncated");
    if (sharedLength === 0 && leaf[offset] !== mainIndex)
      throw unreadableFts("it has a prefix index");
    if (sharedLength === 0) replaceEnd(term, 0, leaf, offset + 1, offset + suffixLength);
    else replaceEnd(term, sharedLength - 1, leaf, offset, offset + suffixLength);
    offset += suffixLength;
    isFirstTerm = false;
    isFirstPost = true;
    findNextTerm();
  }

  function requireNextLeaf(): void {
    if (!nextLeaf()) throw unreadableFts("a post is truncated");
  }

  function skip(bytes: number): void {
    let remaining = bytes;
    while (offset + remaining > end) {
      remaining -= end - offset;
      requireNextLeaf();
    }
    offset += remaining;
  }

  function countPositions(bytes: number): number {
    let count = 0;
    for (let remaining = bytes; remaining > 0; remaining -= 1) {
      if (offset === end) requireNextLeaf();
      if ((leaf[offset++] as number) < 0x80) count += 1;
    }
    return count;
  }

  /** Positions are stored as deltas plus two. */
  function takePositions(postings: Postings, bytes: number): number {
    let count = 0;
    let position = 0;
    for (let remaining = bytes; remaining > 0; count += 1) {
      if (offset === end) requireNextLeaf();
      const startOffset = offset;
      const distance = readVarint() - 2;
      if (!(distance >= (count === 0 ? 0 : 1))) throw unreadableFts("positions are not in order");
      position += distance;
      remaining -= offset - startOffset;
      addPosition(postings, position);
    }
    return count;
  }

  function takePost(postings: Postings): number {
    readRowid(isFirstPost || offset === fullRowidOffset);
    isFirstPost = false;
    if (offset === end) requireNextLeaf();
    const header = readVarint();
    if ((header & 1) === 1) throw unreadableFts("a post is marked as deleted");
    const bytes = header >>> 1;
    const number = lookup(high, low);
    if (number < 0 || isDeleted(number)) {
      skip(bytes);
      return 0;
    }
    addPost(postings, number);
    const positions = isPositional ? takePositions(postings, bytes) : countPositions(bytes);
    if (positions === 0) throw unreadableFts("a term has no position in its post");
    addToTally(tally, number, positions);
    return positions;
  }

  const isDeleted = (number: number): boolean =>
    deletedBits !== null && (((deletedBits[number >>> 5] as number) >>> (number & 31)) & 1) === 1;

  return {
    term,
    isPositional: () => isPositional,
    next() {
      if (isExhausted || (leaf.length === 0 && !nextLeaf())) return false;
      if (offset !== nextTermOffset)
        throw unreadableFts("a term does not begin at the offset in its leaf");
      readTerm();
      isPositional = isPositionalTermBytes(term.bytes, term.length);
      return true;
    },
    take(postings, max) {
      for (let postingsRead = 0; postingsRead < max; ) {
        while (offset === end && offset !== nextTermOffset) {
          isExhausted = !nextLeaf();
          if (isExhausted) return true;
        }
        if (offset === nextTermOffset) return true;
        if (offset > end) throw unreadableFts("a post extends beyond its leaf");
        postingsRead += 1 + takePost(postings);
      }
      return false;
    },
    close() {
      leaves.return?.();
    },
  };
}

const mainIndex = 0x30;

const afterLeaf = 0x7fff_ffff;
