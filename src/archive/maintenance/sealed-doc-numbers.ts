import type { DatabaseSync } from "node:sqlite";
import { errorMessage } from "../../lib/errors.ts";
import { isDamage } from "../sealed/damage.ts";
import {
  bytesPerBitmap,
  chunkCount,
  formatWithoutChecksums,
  idsPerPage,
  postsPerChunk,
  sealedFormat,
} from "../sealed/format.ts";

export type SealedDocNumbers = {
  posts: number;
  docId(number: number): bigint;
  upperHalf(number: number): number;
  lowerHalf(number: number): number;
  findDocNumber(id: bigint): number | null;
  isReplaced(number: number): boolean;
  isHidden(number: number): boolean;
};

export type OnError = (message: string) => void;

const sealedTables = [
  "sealed_ids",
  "sealed_terms",
  "sealed_docs",
  "sealed_positions",
  "sealed_mask",
  "sealed_filter",
] as const;

/**
 * Takes 8 bytes of memory per post. `unreadable` after reporting damage; null if the segment is not
 * sealed.
 */
export function readSealedDocNumbers(
  database: DatabaseSync,
  onError: OnError,
): SealedDocNumbers | "unreadable" | null {
  try {
    return readDocNumbers(database, onError);
  } catch (error) {
    if (!isDamage(error)) throw error;
    onError(errorMessage(error));
    return "unreadable";
  }
}

function readDocNumbers(
  database: DatabaseSync,
  onError: OnError,
): SealedDocNumbers | "unreadable" | null {
  const rows = database.prepare("SELECT * FROM sealed").all();
  const [row] = rows;
  if (row === undefined) {
    for (const table of sealedTables) {
      if (database.prepare(`SELECT 1 FROM ${table} LIMIT 1`).get() === undefined) continue;
      onError(`it is not sealed, but has rows in ${table}`);
    }
    return null;
  }
  if (rows.length > 1) onError(`table sealed has ${rows.length} rows`);
  if (row.format !== sealedFormat && row.format !== formatWithoutChecksums) {
    onError(`table sealed has format ${row.format}, not ${sealedFormat}`);
    return "unreadable";
  }
  const posts = Number(row.posts);
  const ids = Number.isSafeInteger(posts) && posts > 0 ? readIds(database, posts, onError) : null;
  if (ids === null || !(row.heads instanceof Uint8Array)) {
    onError(`the IDs of its ${row.posts} posts cannot be read`);
    return "unreadable";
  }
  checkOrder(ids, onError);
  checkHeads(ids, row.heads, onError);
  return makeDocNumbers(ids, readBitmaps(database, posts, onError));
}

/** IDs are little-endian. */
const bytesPerId = 8;

function readIds(database: DatabaseSync, posts: number, onError: OnError): BigInt64Array | null {
  const storedPages = Number(database.prepare("SELECT count(*) AS n FROM sealed_ids").get()?.n);
  const pages = Math.ceil(posts / idsPerPage);
  if (storedPages !== pages) {
    onError(`it has ${storedPages} pages of IDs for ${posts} posts, not ${pages}`);
    return null;
  }
  const ids = new BigInt64Array(posts);
  const bytes = new Uint8Array(ids.buffer);
  let expectedPage = 0;
  for (const { page, ids: storedIds } of database
    .prepare("SELECT * FROM sealed_ids ORDER BY page")
    .iterate()) {
    const firstNumber = expectedPage * idsPerPage;
    const length = Math.min(idsPerPage, posts - firstNumber) * bytesPerId;
    if (
      page !== expectedPage ||
      !(storedIds instanceof Uint8Array) ||
      storedIds.length !== length
    ) {
      onError(`page ${expectedPage} of its IDs is missing or does not have ${length} bytes`);
      return null;
    }
    bytes.set(storedIds, firstNumber * bytesPerId);
    expectedPage += 1;
  }
  return ids;
}

function checkOrder(ids: BigInt64Array, onError: OnError): void {
  for (let number = 1; number < ids.length; number++) {
    const previous = ids[number - 1] ?? 0n;
    const id = ids[number] ?? 0n;
    if (id >= previous)
      onError(`post ${id} has doc number ${number}, after post ${previous}, which is older`);
  }
}

function checkHeads(ids: BigInt64Array, heads: Uint8Array, onError: OnError): void {
  const pages = Math.ceil(ids.length / idsPerPage);
  if (heads.length !== pages * bytesPerId) {
    onError(`the list of first IDs has ${heads.length} bytes for ${pages} pages`);
    return;
  }
  const view = new DataView(heads.buffer, heads.byteOffset, heads.byteLength);
  for (let page = 0; page < pages; page++) {
    const head = view.getBigInt64(page * bytesPerId, true);
    const first = ids[page * idsPerPage] ?? 0n;
    if (head !== first) {
      onError(
        `page ${page} of its IDs begins with post ${first}, but the list of first IDs has ${head}`,
      );
    }
  }
}

type Bitmaps = { replaced: Uint8Array; hidden: Uint8Array };

function readBitmaps(database: DatabaseSync, posts: number, onError: OnError): Bitmaps {
  const chunks = chunkCount(posts);
  const bitmaps = {
    replaced: new Uint8Array(chunks * bytesPerBitmap),
    hidden: new Uint8Array(chunks * bytesPerBitmap),
  };
  for (const row of database.prepare("SELECT * FROM sealed_mask ORDER BY chunk").iterate()) {
    const chunk = Number(row.chunk);
    if (chunk < 0 || chunk >= chunks) {
      onError(`sealed_mask has chunk ${chunk}, but there are only ${chunks}`);
      continue;
    }
    for (const name of ["replaced", "hidden"] as const) {
      const bits = row[name];
      if (row.replaced instanceof Uint8Array && row.replaced.length === 0) {
        if (bits instanceof Uint8Array && bits.length === 0) continue;
      }
      if (bits instanceof Uint8Array && bits.length === bytesPerBitmap) {
        bitmaps[name].set(bits, chunk * bytesPerBitmap);
      } else {
        onError(`the ${name} bitmap of chunk ${chunk} does not have ${bytesPerBitmap} bytes`);
      }
    }
  }
  for (const [name, bits] of Object.entries(bitmaps)) {
    for (let number = posts; number < chunks * postsPerChunk; number++) {
      if (isSet(bits, number))
        onError(
          `the ${name} bitmap contains doc number ${number}, but there are only ${posts} posts`,
        );
    }
  }
  return bitmaps;
}

const isSet = (bits: Uint8Array, number: number): boolean =>
  (((bits[number >>> 3] ?? 0) >>> (number & 7)) & 1) === 1;

function makeDocNumbers(ids: BigInt64Array, { replaced, hidden }: Bitmaps): SealedDocNumbers {
  const posts = ids.length;
  const halves = new Uint32Array(ids.buffer);

  function findDocNumber(id: bigint): number | null {
    let low = 0;
    let high = posts;
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((ids[middle] ?? 0n) > id) low = middle + 1;
      else high = middle;
    }
    return ids[low] === id ? low : null;
  }

  return {
    posts,
    docId: (number) => ids[number] ?? 0n,
    upperHalf: (number) => halves[2 * number + 1] ?? 0,
    lowerHalf: (number) => halves[2 * number] ?? 0,
    findDocNumber,
    isReplaced: (number) => isSet(replaced, number),
    isHidden: (number) => isSet(hidden, number),
  };
}
