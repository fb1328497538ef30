import type { DatabaseSync } from "node:sqlite";
import { missingRows } from "./damage.ts";
import type { DocNumberLookup } from "./doc-number-lookup.ts";
import { unreadableFts } from "./fts-structure.ts";
import { countIndex, type IndexCounts } from "./index-counts.ts";

/**
 * `hash` depends on the doc numbers. Comparison with the lengths that FTS5 stores detects misread
 * postings.
 */
export type Tally = { terms: number; hash: number };

export function addToTally(tally: Tally, number: number, positions: number): void {
  tally.terms += positions;
  tally.hash =
    (tally.hash + Math.imul(Math.imul(number + 1, 0x9e3779b1) ^ 0x85ebca6b, positions)) | 0;
}

const postsPerStep = 4_000;

/**
 * The tally of the lengths stored by FTS5. Errors: `archive_damaged` if a post has no doc number.
 */
export function* readTally(
  database: DatabaseSync,
  lookup: DocNumberLookup,
  indexCounts: IndexCounts,
): Generator<"worked", Tally> {
  const selectSizes = database.prepare(
    `SELECT id >> 32, id & 0xffffffff, hex(sz) FROM term_docsize WHERE id > ? ORDER BY id LIMIT ${postsPerStep}`,
  );
  selectSizes.setReturnArrays(true);
  const tally: Tally = { terms: 0, hash: 0 };
  for (let lastId = -1n; ; ) {
    const rows = selectSizes.all(lastId) as unknown as [number, number, string][];
    for (const [high, low, length] of rows) {
      const number = lookup(high, low);
      if (number < 0) throw missingRows();
      countIndex(indexCounts, number);
      addToTally(tally, number, readLength(length));
    }
    const [high, low] = rows.at(-1) ?? [0, 0];
    lastId = BigInt(high) * 0x1_0000_0000n + BigInt(low);
    if (rows.length < postsPerStep) return tally;
    yield "worked";
  }
}

/** Errors: `UnreadableFtsError` if the tallies differ. */
export function assertTally(recorded: Tally, actual: Tally): void {
  if (recorded.terms === actual.terms && recorded.hash === actual.hash) return;
  throw unreadableFts(
    recorded.terms === actual.terms
      ? "its terms are in different posts than recorded"
      : `its posts should have ${recorded.terms} terms, but have ${actual.terms}`,
  );
}

function readLength(digits: string): number {
  let value = 0;
  for (let offset = 0; offset < digits.length; offset += 2) {
    value = value * 128 + (Number.parseInt(digits.slice(offset, offset + 2), 16) & 0x7f);
  }
  return value;
}
