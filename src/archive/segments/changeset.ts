import { Buffer } from "node:buffer";
import { crc32 } from "node:zlib";

/** Changes in a table's row count and in the sum of its checksums. */
export type Delta = { rows: number; sum: number };

export const checksumModulus = 2 ** 48;

const insertion = 18;
const deletion = 9;
const tableHeader = 0x54;

export type CellChecksums = {
  of(key: readonly Uint8Array[]): { key: number; cell(column: number, value: Uint8Array): number };
};

/** `changeset` must cover one table, in the format of SQLite's session extension. */
export function checksumDelta(changeset: Uint8Array, checksums: CellChecksums): Delta {
  const [delta = { rows: 0, sum: 0 }] = checksumDeltas(changeset, () => checksums).values();
  return delta;
}

export function checksumDeltas(
  changeset: Uint8Array,
  tableChecksums: (table: string) => CellChecksums,
): Map<string, Delta> {
  const bytes = Buffer.from(changeset.buffer, changeset.byteOffset, changeset.byteLength);
  const deltas = new Map<string, Delta>();
  for (let offset = 0; offset < bytes.length; ) {
    if (bytes[offset] !== tableHeader) throw new Error("unknown changeset format");
    const columnCount = bytes[offset + 1] as number;
    const isKey = Array.from(
      bytes.subarray(offset + 2, offset + 2 + columnCount),
      (flag) => flag !== 0,
    );
    const nameOffset = offset + 2 + columnCount;
    const end = bytes.indexOf(0, nameOffset);
    const table = bytes.toString("utf8", nameOffset, end);
    const result = readTable(bytes, end + 1, isKey, tableChecksums(table));
    deltas.set(table, result.delta);
    offset = result.end;
  }
  return deltas;
}

function readTable(
  bytes: Buffer,
  from: number,
  isKey: readonly boolean[],
  checksums: CellChecksums,
): { delta: Delta; end: number } {
  const delta: Delta = { rows: 0, sum: 0 };
  let offset = from;

  function readRecord(): (Uint8Array | null)[] {
    return isKey.map(() => {
      const from = offset;
      const kind = bytes[offset++];
      if (kind === 0) return null;
      if (kind === 1 || kind === 2) offset += 8;
      if (kind === 3 || kind === 4) {
        const length = readVarint();
        offset += length;
      }
      return bytes.subarray(from, offset);
    });
  }

  function readVarint(): number {
    let value = 0;
    for (;;) {
      const byte = bytes[offset++] as number;
      value = value * 128 + (byte & 0x7f);
      if (byte < 0x80) return value;
    }
  }

  type Cells = readonly (Uint8Array | null)[];
  function add(row: ReturnType<CellChecksums["of"]>, cells: Cells, sign: 1 | -1): void {
    for (const [column, cell] of cells.entries()) {
      if (cell === null || isKey[column]) continue;
      delta.sum += sign * row.cell(column, cell);
    }
  }

  const getKey = (cells: Cells): Uint8Array[] =>
    cells.filter((cell, column) => cell !== null && isKey[column]).map((cell) => cell ?? noBytes);

  while (offset < bytes.length && bytes[offset] !== tableHeader) {
    const operation = bytes[offset] as number;
    offset += 2;
    const first = readRecord();
    const row = checksums.of(getKey(first));
    if (operation === insertion || operation === deletion) {
      const sign = operation === insertion ? 1 : -1;
      delta.rows += sign;
      delta.sum += sign * row.key;
      add(row, first, sign);
    } else {
      add(row, first, -1);
      add(row, readRecord(), 1);
    }
    delta.sum %= checksumModulus;
  }
  return { delta, end: offset };
}

const noBytes = new Uint8Array(0);

export const cellChecksums = (table: string): CellChecksums => ({
  of(values) {
    const key = values.reduce((checksum, value) => crc32(value, checksum), crc32(table));
    return { key, cell: (column, value) => crc32(value, crc32(Uint8Array.of(column), key)) };
  },
});

/** Tables whose columns are integers and blobs of at most three bytes. */
export const numberTables = {
  term_docsize: { key: ["id"], integers: ["origin"], blobs: ["sz"] },
  hidden: { key: ["id"], integers: [], blobs: [] },
  uri: { key: ["hash", "id"], integers: [], blobs: [] },
} as const;
export type NumberTable = keyof typeof numberTables;

/**
 * The checksum is a sum of products modulo a prime, computed identically in SQL and here: of the
 * key's two halves, and of the key with each other cell, so that swapped values are detected. All
 * products, and sums of up to 33 million rows, are below 2 ** 63.
 */
const residueModulus = 1_073_741_789;
const shift = residueModulus + 1;
const productModulus = 68_719_476_731;

const sqlFactor = (value: string): string => `(${value} % ${residueModulus} + ${shift})`;
const sqlProduct = (a: string, b: string): string =>
  `${sqlFactor(a)} * ${sqlFactor(b)} % ${productModulus}`;

const allBytes = Buffer.from(Array.from({ length: 256 }, (_, byte) => byte)).toString("hex");
const sqlByte = (blob: string, offset: number): string =>
  `instr(x'${allBytes}', substr(${blob}, ${offset}, 1))`;
const sqlBlob = (blob: string): string =>
  `(length(${blob}) * 134217728 + ${sqlByte(blob, 1)} * 262144 + ${sqlByte(blob, 2)} * 512 + ${sqlByte(blob, 3)})`;

export function rowChecksumSql(table: NumberTable): string {
  const { key, integers, blobs } = numberTables[table];
  const [first, second = `(${first} >> 32)`] = key;
  const cells = [...integers, ...blobs.map(sqlBlob)];
  return [sqlProduct(first, second), ...cells.map((cell) => sqlProduct(first, cell))].join(" + ");
}

const modulus = BigInt(residueModulus);
const factor = (value: bigint): number => Number(value % modulus) + shift;

/** Exact, because no intermediate exceeds 2 ** 53. */
function product(a: number, b: number): number {
  const high = Math.trunc(b / 32_768);
  return (((a * high) % productModulus) * 32_768 + a * (b % 32_768)) % productModulus;
}

const isNumber = (kind: number | undefined): boolean => kind === 1 || kind === 2;

/** Equals the result of the SQL. Never throws, because a damaged row may contain any cells. */
function cellNumber(cell: Uint8Array): bigint {
  const bytes = Buffer.from(cell.buffer, cell.byteOffset, cell.byteLength);
  if (isNumber(bytes[0])) return bytes.readBigInt64BE(1);
  const position = (offset: number): number => (bytes[1 + offset] ?? 0) + 1;
  return BigInt(
    (bytes[1] ?? 0) * 134_217_728 + position(1) * 262_144 + position(2) * 512 + position(3),
  );
}

export const numberChecksums: CellChecksums = {
  of([first = noBytes, second]) {
    const id = cellNumber(first);
    const a = factor(id);
    return {
      key: product(a, factor(second === undefined ? id >> 32n : cellNumber(second))),
      cell: (_, value) => product(a, factor(cellNumber(value))),
    };
  },
};
