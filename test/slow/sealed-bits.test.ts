import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { check } from "../../src/archive/maintenance/check.ts";
import {
  changeBytes,
  makeSealedArchive,
  withFlippedBit,
  withSegment,
} from "../../testkit/archives/sealed-archive.ts";

let dataDir = "";
beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), "earshot-sealed-bits-"));
  makeSealedArchive(dataDir);
});
afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

const signal = new AbortController().signal;
const fullCheck = () =>
  check({
    folder: join(dataDir, "archive"),
    isFull: true,
    sampleRows: 1,
    onProgress: () => {},
    signal,
  });

test.for([
  ["sealed", "posts", "heads"],
  ["sealed_ids", "page", "ids"],
  ["sealed_terms", "first", "block"],
  ["sealed_docs", "row", "docs"],
  ["sealed_positions", "row", "positions"],
  ["sealed_mask", "chunk", "replaced"],
  ["sealed_mask", "chunk", "hidden"],
  ["sealed_filter", "rowid", "bits"],
] as const)(
  "a full check reports a flipped bit in table %s with key %s, in column %s",
  async ([table, key, column]) => {
    const undetected: string[] = [];
    for (const { where, bit } of tableBits(table, key, column)) {
      const position = { table, column, where };
      changeBytes(dataDir, position, withFlippedBit(bit));
      if ((await fullCheck()).findingCount === 0) undetected.push(`bit ${bit} where ${where}`);
      changeBytes(dataDir, position, withFlippedBit(bit));
    }
    expect(undetected).toEqual([]);
    expect((await fullCheck()).findings).toEqual([]);
  },
);

const bitsPerColumn = 40;

/** Bits spread evenly over a column. */
function tableBits(table: string, key: string, column: string): { where: string; bit: number }[] {
  const sql = `SELECT quote(${key}) AS value, length(${column}) AS bytes FROM ${table} ORDER BY ${key}`;
  const rows = withSegment(dataDir, (database) => database.prepare(sql).all());
  const bits = rows.reduce((sum, { bytes }) => sum + 8 * Number(bytes), 0);
  return Array.from({ length: bitsPerColumn }, (_, index) => {
    let bit = (Math.floor((index * bits) / bitsPerColumn) + (index % 8)) % bits;
    for (const { value, bytes } of rows) {
      if (bit < 8 * Number(bytes)) return { where: `${key} = ${value}`, bit };
      bit -= 8 * Number(bytes);
    }
    throw new Error(`${table} has no bit ${bit}`);
  });
}
