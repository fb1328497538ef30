import type { DatabaseSync } from "node:sqlite";
import { type IdRange, lastId } from "../../posts/ids.ts";
import { aligned } from "./blob.ts";
import { SealedDamage } from "./damage.ts";
import { idsOfPage } from "./format.ts";
import { createIdMemory, firstBelow, type IdMemory, useIdMemory } from "./id-memory.ts";
import { readHead } from "./sealed-state.ts";
import { assertSum, rowSum } from "./sums.ts";

/**
 * The numbers of a sealed segment's posts, newest first from 0 on, and their IDs. What is read of a page that is damaged throws
 * `SealedDamage`.
 */
export type PostNumbers = {
  posts: number;
  /** The ID of the post with this number, from 0 to below `posts`. */
  idOf(number: number): bigint;
  /** The number of the newest post whose ID is lower than `id`; `posts` where none is. Numbers below it have IDs ≥ `id`. */
  below(id: bigint): number;
  /** Null where no post has the ID. */
  numberOf(id: bigint): number | null;
  /** Gives back what it takes in memory. */
  close(): void;
};

/** How many pages those remember who share no memory: few, as they look for single posts. */
const pagesAlone = 64;

/** The numbers of the posts with IDs of the range, both ends of which are inclusive: `from` to below `to`. */
export function numbersOfRange(
  numbers: PostNumbers,
  { low, high }: IdRange,
): { from: number; to: number } {
  return { from: numbers.below(high + 1n), to: numbers.below(low) };
}

/**
 * Opens the numbers of a sealed segment. `name` is that of its file, the same in all threads that share `ids`; null reads alone.
 * Errors: `SealedDamage`.
 */
export function openPostNumbers(
  database: DatabaseSync,
  name: string,
  ids: IdMemory | null,
): PostNumbers {
  const { posts, heads, read } = openIdPages(database, name);
  const memory = ids ?? useIdMemory(createIdMemory(0), pagesAlone);
  const pages = memory.open({ name, posts, heads, read });

  function idOf(number: number): bigint {
    if (!(number >= 0 && number < posts)) throw new RangeError(`no post has the number ${number}`);
    return pages.at(number);
  }

  function below(id: bigint): number {
    // Most ranges are open at that end.
    if (id > lastId) return 0;
    const page = firstBelow(heads, 0, heads.length, id) - 1;
    return page < 0 ? 0 : pages.below(page, id);
  }

  function numberOf(id: bigint): number | null {
    const number = below(id + 1n);
    return number < posts && pages.at(number) === id ? number : null;
  }

  return { posts, idOf, below, numberOf, close: pages.close };
}

/** The pages of a sealed segment's IDs, newest first, and the first ID of each. */
type IdPages = {
  posts: number;
  heads: BigInt64Array;
  /** Errors: `SealedDamage` where the page is not as long as it should be, or not in order. */
  read(page: number): BigInt64Array;
};

/** Errors: `SealedDamage`. */
export function openIdPages(database: DatabaseSync, name: string): IdPages {
  const { posts, heads, sums } = readHeads(database, name);
  const select = database.prepare("SELECT ids FROM sealed_ids WHERE page = ?");

  function read(page: number): BigInt64Array {
    const blob = select.get(page)?.ids;
    const ids = longsOf(blob);
    const length = Math.min(idsOfPage, posts - page * idsOfPage);
    if (ids?.length !== length)
      throw new SealedDamage(`page ${page} of the IDs in ${name} is missing or cut off`);
    if (sums !== null) {
      assertSum(sums[page], rowSum("ids", page, blob as Uint8Array), `page ${page} of the IDs`);
    }
    const next = heads[page + 1] ?? -1n;
    if (ids[0] !== heads[page] || !descends(ids) || (ids[length - 1] as bigint) <= next) {
      throw new SealedDamage(`the IDs on page ${page} in ${name} do not descend`);
    }
    return ids;
  }

  return { posts, heads, read };
}

type Heads = { posts: number; heads: BigInt64Array; sums: Uint32Array | null };

function readHeads(database: DatabaseSync, name: string): Heads {
  const { posts, isSummed, ...head } = readHead(database);
  const heads = longsOf(head.heads);
  if (heads === null || heads.length !== Math.ceil(posts / idsOfPage)) {
    throw new SealedDamage(`the list of the pages of IDs in ${name} is cut off or missing`);
  }
  if (!descends(heads) || (heads.at(-1) ?? 0n) < 0n) {
    throw new SealedDamage(`the pages of IDs in ${name} do not descend`);
  }
  const { buffer, byteOffset, length } = aligned(head.pageSums);
  return { posts, heads, sums: isSummed ? new Uint32Array(buffer, byteOffset, length / 4) : null };
}

/** The IDs that a blob holds, or null where it holds none. */
function longsOf(blob: unknown): BigInt64Array | null {
  if (!(blob instanceof Uint8Array) || blob.byteLength % 8 !== 0) return null;
  const { buffer, byteOffset, byteLength } = aligned(blob);
  return new BigInt64Array(buffer, byteOffset, byteLength / 8);
}

function descends(ids: BigInt64Array): boolean {
  for (let index = 1; index < ids.length; index++) {
    if ((ids[index] as bigint) >= (ids[index - 1] as bigint)) return false;
  }
  return true;
}
