import type { DatabaseSync } from "node:sqlite";
import { alignedTo64Bits } from "./bytes.ts";
import { assertChecksum, sealedRowChecksum } from "./checksums.ts";
import { bitmapSet, type ChunkSet, countBits } from "./chunk-set.ts";
import { SealedDamageError } from "./damage.ts";
import type { DocNumbers } from "./doc-numbers.ts";
import { bytesPerBitmap, chunkCount, postsPerChunk, wordsPerBitmap } from "./format.ts";
import { readableState } from "./sealed-state.ts";

/** `omittedSet` includes hidden posts. An empty set is null. */
export type DeletionBitmap = {
  omittedSet(chunk: number): ChunkSet | null;
  replacedSet(chunk: number): ChunkSet | null;
};

/**
 * Buffers changes to sealed posts until `flush`, in the caller's transaction. Ignores unsealed
 * posts.
 */
export type DeletionBitmapWriter = {
  replace(id: bigint): void;
  hide(id: bigint): void;
  show(id: bigint): void;
  flush(): void;
  discard(): void;
};

type Bitmaps = { replaced: Uint32Array; hidden: Uint32Array };

/** Reads bitmaps on demand; valid until the database changes. */
export function readDeletionBitmap(database: DatabaseSync): DeletionBitmap {
  const read = chunkReader(database);
  const hasDeletions = chunksWithDeletions(database);
  const cachedSets = new Map<number, { replaced: ChunkSet | null; omitted: ChunkSet | null }>();

  function chunkSets(chunk: number): { replaced: ChunkSet | null; omitted: ChunkSet | null } {
    let sets = cachedSets.get(chunk);
    if (sets === undefined) {
      const { replaced, hidden } = read(chunk);
      sets = {
        replaced: toChunkSet(replaced),
        omitted: toChunkSet(uniteBitmaps(replaced, hidden)),
      };
      cachedSets.set(chunk, sets);
    }
    return sets;
  }

  return {
    omittedSet: (chunk) => (hasDeletions(chunk) ? chunkSets(chunk).omitted : null),
    replacedSet: (chunk) => (hasDeletions(chunk) ? chunkSets(chunk).replaced : null),
  };
}

function chunksWithDeletions(database: DatabaseSync): (chunk: number) => boolean {
  const { posts = 0, hasChecksums = false } = readableState(database) ?? {};
  const select = database.prepare("SELECT chunk FROM sealed_mask");
  select.setReadBigInts(true);
  const chunks = new Set(select.all().map(({ chunk }) => Number(chunk)));
  const totalChunks = chunkCount(posts);
  if ([...chunks].some((chunk) => chunk < 0 || chunk >= totalChunks)) {
    throw new SealedDamageError("the deletion bitmap has a nonexistent chunk");
  }
  if (hasChecksums && chunks.size !== totalChunks) {
    throw new SealedDamageError("the deletion bitmap lacks a chunk's row");
  }
  return (chunk) => chunks.has(chunk);
}

export function countReplacedPosts(database: DatabaseSync): number {
  const { posts: totalPosts = 0 } = readableState(database) ?? {};
  const { replacedSet } = readDeletionBitmap(database);
  let posts = 0;
  for (let chunk = 0; chunk < chunkCount(totalPosts); chunk++)
    posts += replacedSet(chunk)?.count ?? 0;
  return posts;
}

export function writeEmptyBitmap(database: DatabaseSync, posts: number): void {
  const insert = database.prepare("INSERT INTO sealed_mask VALUES(?, x'', x'', ?)");
  for (let chunk = 0; chunk < chunkCount(posts); chunk++) {
    insert.run(chunk, sealedRowChecksum("mask", chunk));
  }
}

const replaceChange = 0;
const hideChange = 1;
const showChange = 2;
const changeKinds = 4;

export function deletionBitmapWriter(
  database: DatabaseSync,
  numbers: DocNumbers,
): DeletionBitmapWriter {
  const read = chunkReader(database);
  const upsertChunk = database.prepare(
    `INSERT INTO sealed_mask VALUES(?1, ?2, ?3, ?4)
     ON CONFLICT(chunk) DO UPDATE SET replaced = ?2, hidden = ?3, sum = ?4`,
  );
  const changesByChunk = new Map<number, number[]>();

  function buffer(id: bigint, change: number): void {
    const number = numbers.findNumber(id);
    if (number === null) return;
    const chunk = Math.floor(number / postsPerChunk);
    const chunkChanges = changesByChunk.get(chunk) ?? [];
    chunkChanges.push((number % postsPerChunk) * changeKinds + change);
    changesByChunk.set(chunk, chunkChanges);
  }

  function flush(): void {
    for (const [chunk, chunkChanges] of changesByChunk) {
      const bitmaps = read(chunk);
      let changedBits = 0;
      for (const change of chunkChanges) {
        changedBits |= apply(bitmaps, Math.floor(change / changeKinds), change % changeKinds);
      }
      if (changedBits === 0) continue;
      const [replaced, hidden] = [encodeBitmap(bitmaps.replaced), encodeBitmap(bitmaps.hidden)];
      upsertChunk.run(chunk, replaced, hidden, sealedRowChecksum("mask", chunk, replaced, hidden));
    }
    changesByChunk.clear();
  }

  return {
    replace: (id) => buffer(id, replaceChange),
    hide: (id) => buffer(id, hideChange),
    show: (id) => buffer(id, showChange),
    flush,
    discard: () => changesByChunk.clear(),
  };
}

function apply({ replaced, hidden }: Bitmaps, post: number, change: number): number {
  const bits = change === replaceChange ? replaced : hidden;
  const oldWord = bits[post >>> 5] as number;
  const bit = 1 << (post & 31);
  const newWord = (change === showChange ? oldWord & ~bit : oldWord | bit) >>> 0;
  bits[post >>> 5] = newWord;
  return oldWord ^ newWord;
}

function chunkReader(database: DatabaseSync): (chunk: number) => Bitmaps {
  const hasChecksums = readableState(database)?.hasChecksums ?? false;
  const sum = hasChecksums ? "sum" : "NULL";
  const select = database.prepare(
    `SELECT replaced, hidden, ${sum} AS sum FROM sealed_mask WHERE chunk = ?`,
  );
  return (chunk) => {
    const row = select.get(chunk);
    if (row === undefined) {
      if (hasChecksums) throw new SealedDamageError("the deletion bitmap lacks a chunk's row");
      return { replaced: emptyBitmap(), hidden: emptyBitmap() };
    }
    const { replaced, hidden } = row;
    if (!(replaced instanceof Uint8Array && hidden instanceof Uint8Array)) throw malformedBitmap();
    if (hasChecksums)
      assertChecksum(
        row.sum,
        sealedRowChecksum("mask", chunk, replaced, hidden),
        "a deletion bitmap",
      );
    if (hasChecksums && replaced.length === 0 && hidden.length === 0) {
      return { replaced: emptyBitmap(), hidden: emptyBitmap() };
    }
    return { replaced: decodeBitmap(replaced), hidden: decodeBitmap(hidden) };
  };
}

const emptyBitmap = (): Uint32Array => new Uint32Array(wordsPerBitmap);

const malformedBitmap = (): SealedDamageError =>
  new SealedDamageError("a deletion bitmap is malformed");

function decodeBitmap(blob: Uint8Array): Uint32Array {
  if (blob.byteLength !== bytesPerBitmap) throw malformedBitmap();
  const { buffer, byteOffset } = alignedTo64Bits(blob);
  return new Uint32Array(buffer, byteOffset, wordsPerBitmap);
}

const encodeBitmap = (bits: Uint32Array): Uint8Array =>
  new Uint8Array(bits.buffer, bits.byteOffset, bits.byteLength);

function toChunkSet(bits: Uint32Array): ChunkSet | null {
  const count = countBits(bits);
  return count === 0 ? null : bitmapSet(bits, count);
}

function uniteBitmaps(a: Uint32Array, b: Uint32Array): Uint32Array {
  const union = Uint32Array.from(a);
  for (let word = 0; word < wordsPerBitmap; word++) {
    union[word] = (union[word] as number) | (b[word] as number);
  }
  return union;
}
