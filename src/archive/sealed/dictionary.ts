import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { SealedDamage } from "./damage.ts";
import {
  createEntries,
  type DictionaryEntry,
  type Entries,
  entryOf,
  nextEntry,
  openBlock,
} from "./dictionary-entries.ts";
import { assertSum, blockSum, type SealedHead } from "./sums.ts";

export type Dictionary = {
  find(term: string): DictionaryEntry | null;
  /**
   * Ascending by UTF-8 bytes. Yields the number of entries read after each block, with no statement
   * open.
   */
  eachBeginning(prefix: string, visit: (entry: DictionaryEntry) => void): Generator<number, void>;
};

export type DictionaryHead = Pick<SealedHead, "posts" | "first"> & { isSummed: boolean };

export function openDictionary(database: DatabaseSync, head: DictionaryHead): Dictionary {
  const columns = columnsOf(head);
  const selectUpTo = database.prepare(
    `SELECT ${columns} FROM sealed_terms WHERE first <= ? ORDER BY first DESC LIMIT 1`,
  );
  selectUpTo.setReturnArrays(true);
  const selectAfter = database.prepare(
    `SELECT ${columns} FROM sealed_terms WHERE first > CAST(? AS TEXT) ORDER BY first LIMIT 1`,
  );
  selectAfter.setReturnArrays(true);

  const entries = createEntries(head.posts);

  function blockWith(term: string, expected: Uint8Array): CheckedBlock | null {
    const row: unknown = selectUpTo.get(term);
    if (!head.isSummed) return row === undefined ? null : { block: blockOf(row), next: null };
    if (row === undefined) {
      if (head.first === null || Buffer.compare(expected, head.first) < 0) return null;
      throw new SealedDamage("the first block of the dictionary is missing");
    }
    const block = checkedBlock(row);
    if (block.next !== null && Buffer.compare(block.next, expected) <= 0) {
      throw new SealedDamage("a block of the dictionary is missing");
    }
    return block;
  }

  function* blocksFrom(term: string, expected: Uint8Array): Generator<unknown, void> {
    const begin = blockWith(term, expected);
    if (begin !== null) yield begin.block;
    if (!head.isSummed) {
      let row = selectAfter.get(expected);
      for (; row !== undefined; row = selectAfter.get(firstOf(row))) {
        yield blockOf(row);
      }
      return;
    }
    let next = begin === null ? head.first : begin.next;
    for (let row = selectAfter.get(expected); row !== undefined; ) {
      const block = checkedBlock(row);
      if (next === null || Buffer.compare(next, block.first) !== 0) break;
      yield block.block;
      next = block.next;
      if (next === null) return;
      row = selectAfter.get(block.first);
    }
    if (next !== null) throw new SealedDamage("a block of the dictionary is missing");
  }

  return {
    find(term) {
      const expected = Buffer.from(term);
      const found = blockWith(term, expected);
      if (found === null) return null;
      openBlock(entries, found.block);
      return seekTerm(entries, expected) ? entryOf(entries) : null;
    },
    *eachBeginning(prefix, visit) {
      const expected = Buffer.from(prefix);
      for (const block of blocksFrom(prefix, expected)) {
        openBlock(entries, block);
        let read = 0;
        while (nextEntry(entries)) {
          read += 1;
          const order = compareBeginning(entries, expected);
          if (order > 0) return;
          if (order === 0) visit(entryOf(entries));
        }
        yield read;
      }
    },
  };
}

const blockOf = (row: unknown): unknown => (Array.isArray(row) ? row[1] : null);

function firstOf(row: unknown): Uint8Array {
  const first: unknown = Array.isArray(row) ? row[0] : null;
  if (first instanceof Uint8Array) return first;
  throw new SealedDamage("a block of the dictionary has no first term");
}

/** First term, block, next block's first term, checksum. */
export const columnsOf = ({ isSummed }: { isSummed: boolean }): string =>
  isSummed
    ? `CAST(first AS BLOB), block, (
         SELECT CAST(first AS BLOB) FROM sealed_terms AS following
         WHERE following.first > sealed_terms.first ORDER BY following.first LIMIT 1
       ), sum`
    : "CAST(first AS BLOB), block";

type CheckedBlock = { block: unknown; next: Uint8Array | null };

export function checkedBlock(
  row: unknown,
): CheckedBlock & { first: Uint8Array; block: Uint8Array } {
  const [first, block, next, sum] = row as unknown[];
  if (
    !(first instanceof Uint8Array && block instanceof Uint8Array) ||
    (next !== null && !(next instanceof Uint8Array))
  ) {
    throw new SealedDamage("a block of the dictionary is cut off");
  }
  assertSum(sum, blockSum(first, next, block), "a block of the dictionary");
  return { first, block, next };
}

/**
 * Moves to this term from the start of its block; false if missing. An entry that shares more bytes with its predecessor
 * than the predecessor shares with this term needs no comparison.
 */
function seekTerm(entries: Entries, expected: Uint8Array): boolean {
  let common = 0;
  let skipped = 0;
  for (; nextEntry(entries); skipped++) {
    if (entries.shared > common) continue;
    if (entries.shared < common) return false;
    const { bytes: term, length } = entries.term;
    const end = Math.min(length, expected.length);
    while (common < end && term[common] === expected[common]) common += 1;
    if (common === expected.length && common === length) return true;
    if (common === expected.length || (common < length && isBehind(term, expected, common))) break;
  }
  if (skipped === 0)
    throw new SealedDamage("a block of the dictionary is stored under another term");
  return false;
}

const isBehind = (term: Uint8Array, expected: Uint8Array, at: number): boolean =>
  (term[at] as number) > (expected[at] as number);

function compareBeginning({ term }: Entries, expected: Uint8Array): number {
  const { bytes, length } = term;
  for (let index = 0; index < expected.length; index++) {
    if (index === length) return -1;
    const difference = (bytes[index] as number) - (expected[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
