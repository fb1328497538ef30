import type { DatabaseSync } from "node:sqlite";
import { type Coverage, cover } from "./coverage.ts";
import { missingRows } from "./damage.ts";
import type { NumberLookup } from "./doc-number-lookup.ts";
import { unreadable } from "./fts-structure.ts";

/**
 * How many places of terms an FTS5 table has in numbered posts, and a sum in which each post counts differently: what was taken
 * from it is compared with what it says itself of the length of its posts, so that nothing is lost when it is read wrongly.
 */
export type Tally = { places: number; mixed: number };

export function addToTally(tally: Tally, number: number, places: number): void {
  tally.places += places;
  tally.mixed =
    (tally.mixed + Math.imul(Math.imul(number + 1, 0x9e3779b1) ^ 0x85ebca6b, places)) | 0;
}

/** Posts whose lengths are read in one step. */
const postsOfStep = 4_000;

/** What an FTS5 table says of the length of its posts. Covers these. Errors: `archive_damaged` where one has no number. */
export function* readTally(
  database: DatabaseSync,
  lookup: NumberLookup,
  coverage: Coverage,
): Generator<"worked", Tally> {
  const read = database.prepare(
    `SELECT id >> 32, id & 0xffffffff, hex(sz) FROM term_docsize WHERE id > ? ORDER BY id LIMIT ${postsOfStep}`,
  );
  read.setReturnArrays(true);
  const said: Tally = { places: 0, mixed: 0 };
  for (let from = -1n; ; ) {
    const rows = read.all(from) as unknown as [number, number, string][];
    for (const [high, low, length] of rows) {
      const number = lookup(high, low);
      if (number < 0) throw missingRows();
      cover(coverage, number);
      addToTally(said, number, lengthOf(length));
    }
    const [high, low] = rows.at(-1) ?? [0, 0];
    from = BigInt(high) * 0x1_0000_0000n + BigInt(low);
    if (rows.length < postsOfStep) return said;
    yield "worked";
  }
}

/** Throws where `taken` is not all that the table says it has. */
export function assertTally(said: Tally, taken: Tally): void {
  if (said.places === taken.places && said.mixed === taken.mixed) return;
  throw unreadable(
    said.places === taken.places
      ? "its terms are in other posts than it says"
      : `it says that its posts have ${said.places} terms, and ${taken.places} were found`,
  );
}

/** A number as SQLite packs it, seven bits a byte, the highest first; here two hexadecimal digits a byte. */
function lengthOf(digits: string): number {
  let value = 0;
  for (let at = 0; at < digits.length; at += 2) {
    value = value * 128 + (Number.parseInt(digits.slice(at, at + 2), 16) & 0x7f);
  }
  return value;
}
