import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** What a table has more, or less, than before: rows, and the sum of their checksums (`table-sums.ts`). */
export type Delta = { rows: number; sum: number };

/** Sums are kept below this. */
export const sumModulus = 2 ** 48;

const insertion = 18;
const deletion = 9;
const tableHeader = 0x54;

/**
 * The checksum of a cell, made of its row's key and its column: `key` is that of the row's key, `value` the cell as a changeset
 * of SQLite has it (kind, length, bytes).
 */
export const cellSum = (key: number, column: number, value: Uint8Array): number =>
  crc32(value, crc32(Uint8Array.of(column), key));

/** The checksum of a row's key; in a table whose columns are all of the key, that of the row. */
export const keySum = (table: string, values: readonly Uint8Array[]): number =>
  values.reduce((sum, value) => crc32(value, sum), crc32(table));

/** Reads what one table has more or less from a changeset of SQLite's session extension. */
export function deltaOf(table: string, changeset: Uint8Array): Delta {
  const bytes = Buffer.from(changeset.buffer, changeset.byteOffset, changeset.byteLength);
  const delta: Delta = { rows: 0, sum: 0 };
  if (bytes.length === 0) return delta;
  if (bytes[0] !== tableHeader) throw new Error("a changeset of another form");
  const columns = bytes[1] as number;
  const isKey = Array.from(bytes.subarray(2, 2 + columns), (flag) => flag !== 0);
  let at = bytes.indexOf(0, 2 + columns) + 1;

  /** The cells of a record; null for those that are not in it. */
  function record(): (Uint8Array | null)[] {
    return isKey.map(() => {
      const from = at;
      const kind = bytes[at++];
      if (kind === 0) return null;
      if (kind === 1 || kind === 2) at += 8;
      if (kind === 3 || kind === 4) {
        const length = varint();
        at += length;
      }
      return bytes.subarray(from, at);
    });
  }

  /** Seven bits a byte, the highest first. */
  function varint(): number {
    let value = 0;
    for (;;) {
      const byte = bytes[at++] as number;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
  }

  function add(key: number, cells: readonly (Uint8Array | null)[], sign: 1 | -1): void {
    for (const [column, cell] of cells.entries()) {
      if (cell === null || isKey[column]) continue;
      delta.sum += sign * cellSum(key, column, cell);
    }
  }

  const keyOf = (cells: readonly (Uint8Array | null)[]): number =>
    keySum(
      table,
      cells.filter((cell, column) => cell !== null && isKey[column]).map((cell) => cell ?? noBytes),
    );

  while (at < bytes.length) {
    const operation = bytes[at] as number;
    at += 2;
    const first = record();
    const key = keyOf(first);
    if (operation === insertion || operation === deletion) {
      const sign = operation === insertion ? 1 : -1;
      delta.rows += sign;
      delta.sum += sign * key;
      add(key, first, sign);
    } else {
      add(key, first, -1);
      add(key, record(), 1);
    }
    delta.sum %= sumModulus;
  }
  return delta;
}

const noBytes = new Uint8Array(0);
