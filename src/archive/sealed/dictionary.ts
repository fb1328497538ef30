import { Buffer } from "node:buffer";
import type { DatabaseSync } from "node:sqlite";
import { assertChecksum, blockChecksum, type SealedHeader } from "./checksums.ts";
import { SealedDamageError } from "./damage.ts";
import {
  createEntries,
  type DictionaryEntry,
  dictionaryEntry,
  type Entries,
  nextEntry,
  openBlock,
} from "./dictionary-entries.ts";

export type Dictionary = {
  find(term: string): DictionaryEntry | null;
  /**
   * Visits entries by ascending UTF-8 bytes. After each block, yields the number of entries read,
   * with no statement open.
   */
  visitPrefix(prefix: string, visit: (entry: DictionaryEntry) => void): Generator<number, void>;
};

export type DictionaryHeader = Pick<SealedHeader, "posts" | "first"> & { hasChecksums: boolean };

export function openDictionary(database: DatabaseSync, header: DictionaryHeader): Dictionary {
  const columns = dictionaryColumns(header);
  const selectUpTo = database.prepare(
    `SELECT ${columns} FROM sealed_terms WHERE first <= ? ORDER BY first DESC LIMIT 1`,
  );
  selectUpTo.setReturnArrays(true);
  const selectAfter = database.prepare(
    `SELECT ${columns} FROM sealed_terms WHERE first > CAST(? AS TEXT) ORDER BY first LIMIT 1`,
  );
  selectAfter.setReturnArrays(true);

  const entries = createEntries(header.posts);

  function blockFor(term: string, target: Uint8Array): CheckedBlock | null {
    const row: unknown = selectUpTo.get(term);
    if (!header.hasChecksums)
      return row === undefined ? null : { block: rowBlock(row), next: null };
    if (row === undefined) {
      if (header.first === null || Buffer.compare(target, header.first) < 0) return null;
      throw new SealedDamageError("the first dictionary block is missing");
    }
    const block = checkedBlock(row);
    if (block.next !== null && Buffer.compare(block.next, target) <= 0) {
      throw new SealedDamageError("a dictionary block is missing");
    }
    return block;
  }

  function* blocksFrom(term: string, target: Uint8Array): Generator<unknown, void> {
    const firstBlock = blockFor(term, target);
    if (firstBlock !== null) yield firstBlock.block;
    if (!header.hasChecksums) {
      let row = selectAfter.get(target);
      for (; row !== undefined; row = selectAfter.get(firstTermOf(row))) {
        yield rowBlock(row);
      }
      return;
    }
    let next = firstBlock === null ? header.first : firstBlock.next;
    for (let row = selectAfter.get(target); row !== undefined; ) {
      const block = checkedBlock(row);
      if (next === null || Buffer.compare(next, block.first) !== 0) break;
      yield block.block;
      next = block.next;
      if (next === null) return;
      row = selectAfter.get(block.first);
    }
    if (next !== null) throw new SealedDamageError("a dictionary block is missing");
  }

  return {
    find(term) {
      const target = Buffer.from(term);
      const found = blockFor(term, target);
      if (found === null) return null;
      openBlock(entries, found.block);
      return seekTerm(entries, target) ? dictionaryEntry(entries) : null;
    },
    *visitPrefix(prefix, visit) {
      const target = Buffer.from(prefix);
      for (const block of blocksFrom(prefix, target)) {
        openBlock(entries, block);
        let entriesRead = 0;
        while (nextEntry(entries)) {
          entriesRead += 1;
          const order = comparePrefix(entries, target);
          if (order > 0) return;
          if (order === 0) visit(dictionaryEntry(entries));
        }
        yield entriesRead;
      }
    },
  };
}

const rowBlock = (row: unknown): unknown => (Array.isArray(row) ? row[1] : null);

function firstTermOf(row: unknown): Uint8Array {
  const first: unknown = Array.isArray(row) ? row[0] : null;
  if (first instanceof Uint8Array) return first;
  throw new SealedDamageError("a dictionary block has no first term");
}

export const dictionaryColumns = ({ hasChecksums }: { hasChecksums: boolean }): string =>
  hasChecksums
    ? `CAST(first AS BLOB), block, (
         SELECT CAST(first AS BLOB) FROM sealed_terms AS following
         WHERE following.first > sealed_terms.first ORDER BY following.first LIMIT 1
       ), sum`
    : "CAST(first AS BLOB), block";

type CheckedBlock = { block: unknown; next: Uint8Array | null };

export function checkedBlock(
  row: unknown,
): CheckedBlock & { first: Uint8Array; block: Uint8Array } {
  const [first, block, next, storedChecksum] = row as unknown[];
  if (
    !(first instanceof Uint8Array && block instanceof Uint8Array) ||
    (next !== null && !(next instanceof Uint8Array))
  ) {
    throw new SealedDamageError("a dictionary block is malformed");
  }
  assertChecksum(storedChecksum, blockChecksum(first, next, block), "a dictionary block");
  return { first, block, next };
}

/**
 * Moves from the start of a block to the entry for `target`; false if missing. An entry needs no
 * comparison if it shares more bytes with its predecessor than the predecessor does with `target`.
 */
function seekTerm(entries: Entries, target: Uint8Array): boolean {
  let commonLength = 0;
  let skippedEntries = 0;
  for (; nextEntry(entries); skippedEntries++) {
    if (entries.shared > commonLength) continue;
    if (entries.shared < commonLength) return false;
    const { bytes: term, length } = entries.term;
    const end = Math.min(length, target.length);
    while (commonLength < end && term[commonLength] === target[commonLength]) commonLength += 1;
    if (commonLength === target.length && commonLength === length) return true;
    if (
      commonLength === target.length ||
      (commonLength < length && isAfter(term, target, commonLength))
    )
      break;
  }
  if (skippedEntries === 0)
    throw new SealedDamageError("a dictionary block is stored under another term");
  return false;
}

const isAfter = (term: Uint8Array, target: Uint8Array, offset: number): boolean =>
  (term[offset] as number) > (target[offset] as number);

function comparePrefix({ term }: Entries, target: Uint8Array): number {
  const { bytes, length } = term;
  for (let index = 0; index < target.length; index++) {
    if (index === length) return -1;
    const difference = (bytes[index] as number) - (target[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
