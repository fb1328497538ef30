import { Buffer } from "node:buffer";
import type { CellChecksums } from "./changeset.ts";

/** Their columns are integers and blobs of at most three bytes. */
export const numberTables = {
  term_docsize: { key: ["id"], integers: ["origin"], blobs: ["sz"] },
  hidden: { key: ["id"], integers: [], blobs: [] },
  uri: { key: ["hash", "id"], integers: [], blobs: [] },
} as const;
export type NumberTable = keyof typeof numberTables;

/**
 * The checksum is a sum of products modulo a prime, computed equally in SQL and here: of the key's
 * two halves, and of the key with each other cell, so that swapped values are detected. All
 * products and sums of up to 33 million rows are below 2 ** 63.
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

/** Exact: no intermediate exceeds 2 ** 53. */
function product(a: number, b: number): number {
  const high = Math.trunc(b / 32_768);
  return (((a * high) % productModulus) * 32_768 + a * (b % 32_768)) % productModulus;
}

const isNumber = (kind: number | undefined): boolean => kind === 1 || kind === 2;

/** Matches the SQL. Never throws, because a damaged row may contain any cells. */
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

const noBytes = new Uint8Array(0);
