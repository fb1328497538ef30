import type { DatabaseSync } from "node:sqlite";
import { type IdRange, lastId } from "../../posts/ids.ts";
import { alignedTo64Bits } from "./blob.ts";
import { SealedDamage } from "./damage.ts";
import { idsPerPage } from "./format.ts";
import { createIdMemory, firstBelow, type IdMemory, useIdMemory } from "./id-memory.ts";
import { readHead } from "./sealed-state.ts";
import { assertSum, sealedRowSum } from "./sums.ts";

/** Maps doc numbers to IDs and back. */
export type PostNumbers = {
  posts: number;
  idOf(number: number): bigint;
  below(id: bigint): number;
  numberOf(id: bigint): number | null;
  close(): void;
};

const privatePages = 64;

export function numbersOfRange(
  numbers: PostNumbers,
  { low, high }: IdRange,
): { from: number; to: number } {
  return { from: numbers.below(high + 1n), to: numbers.below(low) };
}

/** `name` identifies the file to all threads that share `ids`. */
export function openPostNumbers(
  database: DatabaseSync,
  name: string,
  ids: IdMemory | null,
): PostNumbers {
  const { posts, heads, read } = openIdPages(database, name);
  const memory = ids ?? useIdMemory(createIdMemory(0), privatePages);
  const pages = memory.open({ name, posts, heads, read });

  function idOf(number: number): bigint {
    if (!(number >= 0 && number < posts)) throw new RangeError(`no post has the number ${number}`);
    return pages.at(number);
  }

  function below(id: bigint): number {
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

/** Newest first; `heads` has the first ID of each page. */
type IdPages = {
  posts: number;
  heads: BigInt64Array;
  read(page: number): BigInt64Array;
};

export function openIdPages(database: DatabaseSync, name: string): IdPages {
  const { posts, heads, sums } = readHeads(database, name);
  const select = database.prepare("SELECT ids FROM sealed_ids WHERE page = ?");

  function read(page: number): BigInt64Array {
    const blob = select.get(page)?.ids;
    const ids = longsOf(blob);
    const length = Math.min(idsPerPage, posts - page * idsPerPage);
    if (ids?.length !== length)
      throw new SealedDamage(`page ${page} of the IDs in ${name} is missing or truncated`);
    if (sums !== null) {
      assertSum(
        sums[page],
        sealedRowSum("ids", page, blob as Uint8Array),
        `page ${page} of the IDs`,
      );
    }
    const next = heads[page + 1] ?? -1n;
    if (ids[0] !== heads[page] || !isDescending(ids) || (ids[length - 1] as bigint) <= next) {
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
  if (heads === null || heads.length !== Math.ceil(posts / idsPerPage)) {
    throw new SealedDamage(`the list of the pages of IDs in ${name} is truncated or missing`);
  }
  if (!isDescending(heads) || (heads.at(-1) ?? 0n) < 0n) {
    throw new SealedDamage(`the pages of IDs in ${name} do not descend`);
  }
  const { buffer, byteOffset, length } = alignedTo64Bits(head.pageSums);
  return { posts, heads, sums: isSummed ? new Uint32Array(buffer, byteOffset, length / 4) : null };
}

function longsOf(blob: unknown): BigInt64Array | null {
  if (!(blob instanceof Uint8Array) || blob.byteLength % 8 !== 0) return null;
  const { buffer, byteOffset, byteLength } = alignedTo64Bits(blob);
  return new BigInt64Array(buffer, byteOffset, byteLength / 8);
}

function isDescending(ids: BigInt64Array): boolean {
  for (let index = 1; index < ids.length; index++) {
    if ((ids[index] as bigint) >= (ids[index - 1] as bigint)) return false;
  }
  return true;
}
