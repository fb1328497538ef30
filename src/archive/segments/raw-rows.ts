import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { rowChecksum } from "./checked-rows.ts";
import type { StoredRow } from "./intact-rows.ts";

export type RawRow = { row: StoredRow; isIntact: boolean | null };

/**
 * Salvages rows from leaf pages when the B-tree or the first page is damaged. Skips free pages,
 * which contain deleted rows. Ignores the write-ahead log.
 */
export function* rawRows(path: string): Generator<RawRow, void> {
  const pages = openPages(path);
  try {
    for (let page = 1; page <= pages.count; page++) {
      if (pages.free.has(page)) continue;
      for (const payload of leafCells(pages, page)) {
        const row = rowIn(payload.bytes, payload.rowid);
        if (row !== null) yield { row, isIntact: isIntact(row) };
      }
    }
  } finally {
    pages.close();
  }
}

export function isFreeListIntact(path: string): boolean {
  const pages = openPages(path);
  pages.close();
  return pages.isFreeListIntact;
}

function isIntact(row: StoredRow): boolean | null {
  return row.sum === null ? null : Number(row.sum) === rowChecksum({ ...row, timeMs: row.time_ms });
}

const defaultPageBytes = 8_192;
const maxPayloadBytes = 16 * 1024 ** 2;

type Pages = {
  count: number;
  read(page: number): Buffer;
  free: ReadonlySet<number>;
  isFreeListIntact: boolean;
  close(): void;
};

function openPages(path: string): Pages {
  const file = openSync(path, "r");
  const header = Buffer.alloc(100);
  readSync(file, header, 0, 100, 0);
  const pageBytes = pageBytesIn(header);
  const count = Math.floor(fstatSync(file).size / pageBytes);

  function read(page: number): Buffer {
    const bytes = Buffer.alloc(pageBytes);
    readSync(file, bytes, 0, pageBytes, (page - 1) * pageBytes);
    return bytes;
  }

  const { free, isWhole: isComplete } = readFreeList(header, count, read);
  return { count, read, free, isFreeListIntact: isComplete, close: () => closeSync(file) };
}

const magic = "SQLite format 3\0";
const hasHeader = (header: Buffer): boolean => header.toString("latin1", 0, 16) === magic;

function pageBytesIn(header: Buffer): number {
  const bytes = header.readUInt16BE(16);
  const isPowerOfTwo = bytes >= 512 && (bytes & (bytes - 1)) === 0;
  return hasHeader(header) && isPowerOfTwo ? bytes : defaultPageBytes;
}

function readFreeList(header: Buffer, count: number, read: (page: number) => Buffer) {
  const free = new Set<number>();
  const expectedCount = header.readUInt32BE(36);
  if (!hasHeader(header)) return { free, isWhole: false };
  for (let trunk = header.readUInt32BE(32); trunk !== 0; ) {
    if (trunk > count || free.has(trunk)) break;
    free.add(trunk);
    const bytes = read(trunk);
    const listedCount = bytes.readUInt32BE(4);
    for (let index = 0; index < listedCount && 8 + 4 * index + 4 <= bytes.length; index++) {
      free.add(bytes.readUInt32BE(8 + 4 * index));
    }
    trunk = bytes.readUInt32BE(0);
  }
  return { free, isWhole: free.size === expectedCount };
}

const tableLeaf = 0x0d;

function* leafCells(pages: Pages, page: number): Generator<{ rowid: bigint; bytes: Buffer }> {
  const bytes = pages.read(page);
  const start = page === 1 ? 100 : 0;
  if (bytes[start] !== tableLeaf) return;
  const cellCount = bytes.readUInt16BE(start + 3);
  for (let cell = 0; cell < cellCount; cell++) {
    const pointer = start + 8 + 2 * cell;
    if (pointer + 2 > bytes.length) return;
    const leafCell = cellAt(pages, bytes, bytes.readUInt16BE(pointer));
    if (leafCell !== null) yield leafCell;
  }
}

function cellAt(
  pages: Pages,
  bytes: Buffer,
  offset: number,
): { rowid: bigint; bytes: Buffer } | null {
  const size = varintAt(bytes, offset);
  const rowid = size === null ? null : varintAt(bytes, size.end);
  if (size === null || rowid === null) return null;
  const payloadBytes = Number(size.value);
  if (payloadBytes < 10 || payloadBytes > maxPayloadBytes) return null;
  const usableBytes = bytes.length;
  const maxLocal = usableBytes - 35;
  const localSize = payloadBytes <= maxLocal ? payloadBytes : localBytes(payloadBytes, usableBytes);
  if (rowid.end + localSize > usableBytes) return null;
  const pieces = [bytes.subarray(rowid.end, rowid.end + localSize)];
  if (localSize < payloadBytes) {
    if (rowid.end + localSize + 4 > usableBytes) return null;
    let remaining = payloadBytes - localSize;
    for (let next = bytes.readUInt32BE(rowid.end + localSize); remaining > 0; ) {
      if (next === 0 || next > pages.count) return null;
      const overflow = pages.read(next);
      pieces.push(overflow.subarray(4, 4 + Math.min(remaining, usableBytes - 4)));
      remaining -= usableBytes - 4;
      next = overflow.readUInt32BE(0);
    }
  }
  return { rowid: BigInt.asIntN(64, rowid.value), bytes: Buffer.concat(pieces) };
}

function localBytes(payloadBytes: number, usableBytes: number): number {
  const min = Math.floor(((usableBytes - 12) * 32) / 255) - 23;
  const local = min + ((payloadBytes - min) % (usableBytes - 4));
  return local <= usableBytes - 35 ? local : min;
}

const columnCount = 9;

function rowIn(payload: Buffer, id: bigint): StoredRow | null {
  const header = varintAt(payload, 0);
  if (header === null || id < 0n) return null;
  const headerBytes = Number(header.value);
  if (headerBytes > payload.length) return null;
  const values: Value[] = [];
  let headerOffset = header.end;
  let contentOffset = headerBytes;
  while (headerOffset < headerBytes) {
    const type = varintAt(payload, headerOffset);
    const value = type === null ? undefined : valueAt(payload, contentOffset, Number(type.value));
    if (type === null || value === undefined || values.length > columnCount) return null;
    values.push(value.value);
    contentOffset = value.end;
    headerOffset = type.end;
  }
  if (contentOffset !== payload.length || values.length < columnCount - 1) return null;
  const [key, time_ms, likes, reposts, replies, quotes, revision, record, sum = null] = values;
  const isPost =
    key === null &&
    typeof time_ms === "bigint" &&
    [likes, reposts, replies, quotes, sum].every(isInteger) &&
    typeof revision === "string" &&
    typeof record === "string";
  return isPost
    ? ({ id, time_ms, likes, reposts, replies, quotes, revision, record, sum } as StoredRow)
    : null;
}

type Value = bigint | string | null | "other";

const isInteger = (value: Value | undefined): boolean =>
  value === null || typeof value === "bigint";

function valueAt(
  payload: Buffer,
  offset: number,
  type: number,
): { value: Value; end: number } | undefined {
  const bytes = typeBytes(type);
  if (bytes === null || offset + bytes > payload.length) return undefined;
  const end = offset + bytes;
  if (type === 0) return { value: null, end };
  if (type === 8 || type === 9) return { value: BigInt(type - 8), end };
  if (type <= 6) return { value: integerAt(payload, offset, bytes), end };
  if (type >= 13 && type % 2 === 1) return { value: payload.toString("utf8", offset, end), end };
  return { value: "other", end };
}

const integerBytes = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0];

function typeBytes(type: number): number | null {
  if (type >= 12) return Math.floor((type - 12) / 2);
  return integerBytes[type] ?? null;
}

function integerAt(payload: Buffer, offset: number, bytes: number): bigint {
  let value = 0n;
  for (let index = 0; index < bytes; index++) {
    value = (value << 8n) | BigInt(payload[offset + index] ?? 0);
  }
  return BigInt.asIntN(8 * bytes, value);
}

/** SQLite's varint: big endian, seven bits per byte, eight in the ninth. */
function varintAt(bytes: Buffer, offset: number): { value: bigint; end: number } | null {
  let value = 0n;
  for (let index = 0; index < 9; index++) {
    const byte = bytes[offset + index];
    if (byte === undefined) return null;
    if (index === 8) return { value: (value << 8n) | BigInt(byte), end: offset + 9 };
    value = (value << 7n) | BigInt(byte & 0x7f);
    if (byte < 0x80) return { value, end: offset + index + 1 };
  }
  return null;
}
