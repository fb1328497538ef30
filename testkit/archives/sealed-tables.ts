import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import {
  chunkCount,
  containerBytes,
  dictionaryBlockBytes,
  formatWithoutChecksums,
  idsPerPage,
  maxInlinePosts,
  maxOneRowPosts,
  minBitmapPosts,
  postsPerChunk,
  sealedFormat,
} from "../../src/archive/sealed/format.ts";
import { isPositionalTerm } from "../../src/archive/sealed/sealed-query.ts";

type Postings = Map<number, number[]>;

/** A naive writer, written from `format.ts` alone; `posts` are tokens, newest first. */
export function writeSealedTables(
  database: DatabaseSync,
  posts: readonly (readonly string[])[],
  ids: readonly bigint[],
  sealedMs: number,
  form: "summed" | "unsummed" = "summed",
): void {
  database.exec("BEGIN");
  writeIds(database, posts.length, ids, sealedMs);
  writeTerms(database, buildPostings(posts), posts.length);
  if (form === "summed") addChecksums(database);
  database.exec("COMMIT");
}

function writeIds(
  database: DatabaseSync,
  posts: number,
  ids: readonly bigint[],
  sealedMs: number,
): void {
  const insert = database.prepare("INSERT INTO sealed_ids(page, ids) VALUES (?, ?)");
  const heads: bigint[] = [];
  for (let index = 0; index < ids.length; index += idsPerPage) {
    const page = BigInt64Array.from(ids.slice(index, index + idsPerPage));
    heads.push(page[0] ?? 0n);
    insert.run(index / idsPerPage, new Uint8Array(page.buffer));
  }
  database
    .prepare("INSERT INTO sealed(format, posts, sealed_ms, heads) VALUES (?, ?, ?, ?)")
    .run(formatWithoutChecksums, posts, sealedMs, new Uint8Array(BigInt64Array.from(heads).buffer));
}

function buildPostings(posts: readonly (readonly string[])[]): Map<string, Postings> {
  const terms = new Map<string, Postings>();
  for (const [number, tokens] of posts.entries()) {
    for (const [position, token] of tokens.entries()) {
      let postings = terms.get(token);
      if (postings === undefined) {
        postings = new Map();
        terms.set(token, postings);
      }
      const positions = postings.get(number);
      if (positions === undefined) postings.set(number, [position]);
      else positions.push(position);
    }
  }
  return terms;
}

function writeTerms(database: DatabaseSync, terms: Map<string, Postings>, posts: number): void {
  const insert = database.prepare("INSERT INTO sealed_terms(first, block) VALUES (?, ?)");
  const names = [...terms.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
  let row = 0;
  let first = "";
  let previousTerm = Buffer.alloc(0);
  let block = Buffer.alloc(0);
  for (const name of names) {
    const term = Buffer.from(name);
    const postings = terms.get(name) ?? new Map();
    const { entry, rows } = writePostings(database, name, postings, posts, row);
    row += rows;
    const isFull = block.length + term.length + entry.length > dictionaryBlockBytes;
    if (isFull && block.length > 0) {
      insert.run(first, block);
      block = Buffer.alloc(0);
      previousTerm = Buffer.alloc(0);
    }
    if (block.length === 0) first = name;
    const shared = commonBytes(previousTerm, term);
    const singleFlag = postings.size === 1 ? 1 : 0;
    const head = [...varint(shared), ...varint((term.length - shared) * 2 + singleFlag)];
    block = Buffer.concat([block, Buffer.from(head), term.subarray(shared), entry]);
    previousTerm = term;
  }
  if (block.length > 0) insert.run(first, block);
}

function commonBytes(a: Buffer, b: Buffer): number {
  let common = 0;
  while (common < Math.min(a.length, b.length) && a[common] === b[common]) common += 1;
  return common;
}

function writePostings(
  database: DatabaseSync,
  name: string,
  postings: Postings,
  posts: number,
  row: number,
): { entry: Buffer; rows: number } {
  const numbers = [...postings.keys()];
  const head = numbers.length === 1 ? [] : varint(numbers.length);
  if (numbers.length <= maxInlinePosts) {
    const distances = numbers.map((number, index) => number - (numbers[index - 1] ?? 0));
    const positions = isPositionalTerm(name) ? [...postings.values()].flatMap(inlinePositions) : [];
    return { entry: Buffer.from([...head, ...distances.flatMap(varint), ...positions]), rows: 0 };
  }
  const chunks = Array.from({ length: chunkCount(posts) }, (_, chunk) =>
    numbers.filter((number) => Math.floor(number / postsPerChunk) === chunk),
  );
  const counts = chunks.flatMap((chunk) => varint(chunk.length));
  const entry = Buffer.from([...head, ...varint(row), ...counts]);
  const rows = numbers.length <= maxOneRowPosts ? [numbers] : chunks;
  for (const [index, members] of rows.entries()) {
    if (members.length === 0) continue;
    const containers = numbers.length <= maxOneRowPosts ? chunks : [members];
    database
      .prepare("INSERT INTO sealed_docs(row, docs) VALUES (?, ?)")
      .run(row + index, Buffer.concat(containers.map(encodeContainer)));
    if (!isPositionalTerm(name)) continue;
    const positions = members.map((number) => postings.get(number) ?? []);
    database
      .prepare("INSERT INTO sealed_positions(row, positions) VALUES (?, ?)")
      .run(row + index, positionsRow(positions));
  }
  return { entry, rows: rows.length };
}

function varint(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...varint(Math.floor(value / 128))];
}

const inlinePositions = (positions: readonly number[]): number[] =>
  positions.flatMap((position, index) => {
    const moreFlag = index < positions.length - 1 ? 1 : 0;
    return varint((position - (positions[index - 1] ?? 0)) * 2 + moreFlag);
  });

function encodeContainer(numbers: readonly number[]): Buffer {
  if (numbers.length === 0) return Buffer.alloc(0);
  const bytes = Buffer.alloc(containerBytes(numbers.length));
  for (const [index, number] of numbers.entries()) {
    const member = number % postsPerChunk;
    if (numbers.length < minBitmapPosts) bytes.writeUInt16LE(member, index * 2);
    else bytes[member >>> 3] = (bytes[member >>> 3] ?? 0) | (1 << (member & 7));
  }
  return bytes;
}

export function positionsRow(posts: readonly (readonly number[])[]): Buffer {
  const ranks: number[] = [];
  const starts: number[] = [];
  const list: { position: number; isLast: boolean }[] = [];
  const bytes = posts.map((positions, rank) => {
    const [firstPosition = 0, secondPosition] = positions;
    if (secondPosition === undefined && firstPosition < 255) return firstPosition;
    ranks.push(rank);
    starts.push(list.length);
    positions.forEach((position, index) => {
      list.push({ position, isLast: index === positions.length - 1 });
    });
    return 255;
  });
  if (ranks.length === 0) return Buffer.from(bytes);
  const isLong =
    list.some(({ position }) => position > 0x7fff) || ranks.length > 0xffff || list.length > 0xffff;
  const head = Uint32Array.from([ranks.length + (isLong ? 0x80000000 : 0), list.length]);
  const lastFlag = isLong ? 0x80000000 : 0x8000;
  const items = [
    ...ranks,
    ...starts,
    ...list.map(({ position, isLast }) => position + (isLast ? lastFlag : 0)),
  ];
  const table = Buffer.alloc(Math.ceil((items.length * (isLong ? 4 : 2)) / 4) * 4);
  for (const [index, item] of items.entries()) {
    if (isLong) table.writeUInt32LE(item, index * 4);
    else table.writeUInt16LE(item, index * 2);
  }
  return Buffer.concat([new Uint8Array(head.buffer), table, Buffer.from(bytes)]);
}

function addChecksums(database: DatabaseSync): void {
  const crc = (...parts: (string | Uint8Array)[]): number =>
    parts.reduce<number>((sum, part) => crc32(part, sum), 0);
  const selectRows = (sql: string) => database.prepare(sql).all() as Record<string, Uint8Array>[];
  for (const table of ["docs", "positions"]) {
    const setChecksum = database.prepare(`UPDATE sealed_${table} SET sum = ? WHERE row = ?`);
    for (const { row, blob } of selectRows(`SELECT row, ${table} AS blob FROM sealed_${table}`)) {
      setChecksum.run(crc(`${table} ${row}`, blob ?? ""), Number(row));
    }
  }
  const terms = selectRows(
    "SELECT CAST(first AS BLOB) AS first, block FROM sealed_terms ORDER BY first",
  );
  const setBlock = database.prepare(
    "UPDATE sealed_terms SET sum = ? WHERE first = CAST(? AS TEXT)",
  );
  for (const [index, { first = noBytes, block = noBytes }] of terms.entries()) {
    const next = terms[index + 1]?.first ?? null;
    const lengths = `terms ${first.length} ${next?.length ?? -1}`;
    setBlock.run(crc(lengths, first, next ?? "", block), first);
  }
  const pageChecksums = Uint32Array.from(
    selectRows("SELECT page, ids FROM sealed_ids ORDER BY page"),
    (row) => crc(`ids ${row.page}`, row.ids ?? ""),
  );
  const head = database.prepare("SELECT posts, sealed_ms, heads FROM sealed").get() ?? {};
  const { posts, sealed_ms, heads } = head;
  const setMask = database.prepare("INSERT INTO sealed_mask VALUES(?, x'', x'', ?)");
  for (let chunk = 0; chunk < chunkCount(Number(posts)); chunk++) {
    setMask.run(chunk, crc(`mask ${chunk}`));
  }
  const first = terms[0]?.first ?? null;
  const pageChecksumBytes = new Uint8Array(pageChecksums.buffer);
  const headText = `sealed ${sealedFormat} ${posts} ${sealed_ms} ${first?.length ?? -1}`;
  database
    .prepare("UPDATE sealed SET format = ?, page_sums = ?, first = ?, sum = ?")
    .run(
      sealedFormat,
      pageChecksumBytes,
      first,
      crc(headText, heads as Uint8Array, pageChecksumBytes, first ?? ""),
    );
}

const noBytes = new Uint8Array(0);
