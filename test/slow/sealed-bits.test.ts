import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { check } from "../../src/archive/maintenance/check.ts";
import {
  changeBytes,
  makeSealedArchive,
  withFlippedBit,
  withinSegment,
} from "../../testkit/archives/sealed-archive.ts";

let data = "";
beforeAll(() => {
  data = mkdtempSync(join(tmpdir(), "earshot-sealed-bits-"));
  makeSealedArchive(data);
});
afterAll(() => rmSync(data, { recursive: true, force: true }));

const signal = new AbortController().signal;
const checked = () =>
  check({
    folder: join(data, "archive"),
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
] as const)("a full check reports a flipped bit of %s, by %s, %s", async ([table, key, column]) => {
  const unfound: string[] = [];
  for (const { where, bit } of bitsOf(table, key, column)) {
    const position = { table, column, where };
    changeBytes(data, position, withFlippedBit(bit));
    if ((await checked()).findingCount === 0) unfound.push(`bit ${bit} where ${where}`);
    changeBytes(data, position, withFlippedBit(bit));
  }
  expect(unfound).toEqual([]);
  expect((await checked()).findings).toEqual([]);
});

const bitsTried = 40;

/** Spread evenly. */
function bitsOf(table: string, key: string, column: string): { where: string; bit: number }[] {
  const sql = `SELECT quote(${key}) AS value, length(${column}) AS bytes FROM ${table} ORDER BY ${key}`;
  const rows = withinSegment(data, (database) => database.prepare(sql).all());
  const bits = rows.reduce((sum, { bytes }) => sum + 8 * Number(bytes), 0);
  return Array.from({ length: bitsTried }, (_, index) => {
    let bit = (Math.floor((index * bits) / bitsTried) + (index % 8)) % bits;
    for (const { value, bytes } of rows) {
      if (bit < 8 * Number(bytes)) return { where: `${key} = ${value}`, bit };
      bit -= 8 * Number(bytes);
    }
    throw new Error(`${table} has no bit ${bit}`);
  });
}
