import type { DatabaseSync } from "node:sqlite";
import { cover, type IndexedPosts } from "./coverage.ts";
import { missingRows } from "./damage.ts";
import type { NumberLookup } from "./doc-number-lookup.ts";
import { unreadable } from "./fts-structure.ts";

/**
 * Number of terms, and a hash by doc number. Compared with the lengths FTS5 stores, they detect
 * misread postings.
 */
export type Tally = { terms: number; hash: number };

export function addToTally(tally: Tally, number: number, positions: number): void {
  tally.terms += positions;
  tally.hash =
    (tally.hash + Math.imul(Math.imul(number + 1, 0x9e3779b1) ^ 0x85ebca6b, positions)) | 0;
}

const postsOfStep = 4_000;

/** The tally of the lengths stored by FTS5. Errors: `archive_damaged` if a post has no doc number. */
export function* readTally(
  database: DatabaseSync,
  lookup: NumberLookup,
  coverage: IndexedPosts,
): Generator<"worked", Tally> {
  const selectSizes = database.prepare(
    `SELECT id >> 32, id & 0xffffffff, hex(sz) FROM term_docsize WHERE id > ? ORDER BY id LIMIT ${postsOfStep}`,
  );
  selectSizes.setReturnArrays(true);
  const output: Tally = { terms: 0, hash: 0 };
  for (let from = -1n; ; ) {
    const rows = selectSizes.all(from) as unknown as [number, number, string][];
    for (const [high, low, length] of rows) {
      const number = lookup(high, low);
      if (number < 0) throw missingRows();
      cover(coverage, number);
      addToTally(output, number, lengthOf(length));
    }
    const [high, low] = rows.at(-1) ?? [0, 0];
    from = BigInt(high) * 0x1_0000_0000n + BigInt(low);
    if (rows.length < postsOfStep) return output;
    yield "worked";
  }
}

/** Errors: `UnreadableFts` if the tallies differ. */
export function assertTally(output: Tally, input: Tally): void {
  if (output.terms === input.terms && output.hash === input.hash) return;
  throw unreadable(
    output.terms === input.terms
      ? "its terms are in other posts than recorded"
      : `its posts should have ${output.terms} terms, but have ${input.terms}`,
  );
}

function lengthOf(digits: string): number {
  let value = 0;
  for (let at = 0; at < digits.length; at += 2) {
    value = value * 128 + (Number.parseInt(digits.slice(at, at + 2), 16) & 0x7f);
  }
  return value;
}
