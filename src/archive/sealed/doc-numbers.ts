import type { DatabaseSync } from "node:sqlite";
import { type IdRange, lastId } from "../../posts/ids.ts";
import { alignedTo64Bits } from "./bytes.ts";
import { assertChecksum, sealedRowChecksum } from "./checksums.ts";
import { SealedDamageError } from "./damage.ts";
import { idsPerPage } from "./format.ts";
import { createIdCache, type IdCache, indexBelow, useIdCache } from "./id-cache.ts";
import { readSealedHeader } from "./sealed-state.ts";

export type DocNumbers = {
  posts: number;
  idAt(number: number): bigint;
  /** Returns `posts` if no ID is below `id`. */
  firstNumberBelow(id: bigint): number;
  findNumber(id: bigint): number | null;
  close(): void;
};

const privatePages = 64;

export function docNumberRange(
  numbers: DocNumbers,
  { low, high }: IdRange,
): { from: number; to: number } {
  return { from: numbers.firstNumberBelow(high + 1n), to: numbers.firstNumberBelow(low) };
}

/** `name` identifies the file to all threads that share `ids`. */
export function openDocNumbers(
  database: DatabaseSync,
  name: string,
  ids: IdCache | null,
): DocNumbers {
  const { posts, firstIds, read } = openIdPages(database, name);
  const cache = ids ?? useIdCache(createIdCache(0), privatePages);
  const pages = cache.open({ name, posts, firstIds, read });

  function idAt(number: number): bigint {
    if (!(number >= 0 && number < posts)) throw new RangeError(`no post has doc number ${number}`);
    return pages.at(number);
  }

  function firstNumberBelow(id: bigint): number {
    if (id > lastId) return 0;
    const page = indexBelow(firstIds, 0, firstIds.length, id) - 1;
    return page < 0 ? 0 : pages.firstNumberBelow(page, id);
  }

  function findNumber(id: bigint): number | null {
    const number = firstNumberBelow(id + 1n);
    return number < posts && pages.at(number) === id ? number : null;
  }

  return { posts, idAt, firstNumberBelow, findNumber, close: pages.close };
}

type IdPages = {
  posts: number;
  firstIds: BigInt64Array;
  read(page: number): BigInt64Array;
};

export function openIdPages(database: DatabaseSync, name: string): IdPages {
  const { posts, firstIds, checksums } = readHeader(database, name);
  const select = database.prepare("SELECT ids FROM sealed_ids WHERE page = ?");

  function read(page: number): BigInt64Array {
    const blob = select.get(page)?.ids;
    const ids = toInt64s(blob);
    const length = Math.min(idsPerPage, posts - page * idsPerPage);
    if (ids?.length !== length)
      throw new SealedDamageError(
        `page ${page} of the IDs in ${name} is missing or has the wrong length`,
      );
    if (checksums !== null) {
      assertChecksum(
        checksums[page],
        sealedRowChecksum("ids", page, blob as Uint8Array),
        `page ${page} of the IDs`,
      );
    }
    const next = firstIds[page + 1] ?? -1n;
    if (ids[0] !== firstIds[page] || !isDescending(ids) || (ids[length - 1] as bigint) <= next) {
      throw new SealedDamageError(
        `page ${page} of the IDs in ${name} is not in order or begins with an unexpected ID`,
      );
    }
    return ids;
  }

  return { posts, firstIds, read };
}

type Header = { posts: number; firstIds: BigInt64Array; checksums: Uint32Array | null };

function readHeader(database: DatabaseSync, name: string): Header {
  const { posts, hasChecksums, ...header } = readSealedHeader(database);
  const firstIds = toInt64s(header.firstIds);
  if (firstIds === null || firstIds.length !== Math.ceil(posts / idsPerPage)) {
    throw new SealedDamageError(`the list of first IDs in ${name} has the wrong length`);
  }
  if (!isDescending(firstIds) || (firstIds.at(-1) ?? 0n) < 0n) {
    throw new SealedDamageError(
      `the first IDs in ${name} are not in descending order, or negative`,
    );
  }
  const { buffer, byteOffset, length } = alignedTo64Bits(header.pageChecksums);
  return {
    posts,
    firstIds,
    checksums: hasChecksums ? new Uint32Array(buffer, byteOffset, length / 4) : null,
  };
}

function toInt64s(blob: unknown): BigInt64Array | null {
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
