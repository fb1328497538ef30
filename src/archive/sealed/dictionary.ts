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

export type Dictionary = {
  /** The entry of a term; null where no post holds it. */
  find(term: string): DictionaryEntry | null;
  /** Calls `visit` with the entry of every term that begins so, in the order of their UTF-8 bytes. */
  eachBeginning(prefix: string, visit: (entry: DictionaryEntry) => void): void;
};

/** The dictionary of a sealed segment of so many posts. Throws `SealedDamage` where a block that is read is malformed. */
export function openDictionary(database: DatabaseSync, posts: number): Dictionary {
  const upTo = database.prepare(
    "SELECT block FROM sealed_terms WHERE first <= ? ORDER BY first DESC LIMIT 1",
  );
  upTo.setReturnArrays(true);
  const after = database.prepare("SELECT block FROM sealed_terms WHERE first > ? ORDER BY first");
  after.setReturnArrays(true);

  const entries = createEntries(posts);

  function* blocksFrom(term: string): Generator<unknown, void> {
    const block = upTo.get(term);
    if (block !== undefined) yield block;
    yield* after.iterate(term);
  }

  return {
    find(term) {
      const row: unknown = upTo.get(term);
      if (row === undefined) return null;
      openBlock(entries, blockOf(row));
      return seekTerm(entries, Buffer.from(term)) ? entryOf(entries) : null;
    },
    eachBeginning(prefix, visit) {
      const wanted = Buffer.from(prefix);
      for (const row of blocksFrom(prefix)) {
        openBlock(entries, blockOf(row));
        while (nextEntry(entries)) {
          const order = compareBeginning(entries, wanted);
          if (order > 0) return;
          if (order === 0) visit(entryOf(entries));
        }
      }
    },
  };
}

const blockOf = (row: unknown): unknown => (Array.isArray(row) ? row[0] : null);

/**
 * Goes on to this term, from the start of the block that begins with it or with one before it; false where it is missing. Terms
 * ascend, and each says how many bytes it shares with the one before: as long as these are more than that one had in common with
 * the wanted term, nothing has to be compared.
 */
function seekTerm(entries: Entries, wanted: Uint8Array): boolean {
  let common = 0;
  let passed = 0;
  for (; nextEntry(entries); passed++) {
    if (entries.shared > common) continue;
    if (entries.shared < common) return false;
    const { bytes: term, length } = entries.term;
    const end = Math.min(length, wanted.length);
    while (common < end && term[common] === wanted[common]) common += 1;
    if (common === wanted.length && common === length) return true;
    if (common === wanted.length || (common < length && isBehind(term, wanted, common))) break;
  }
  if (passed === 0) throw new SealedDamage("a block of the dictionary lies under another term");
  return false;
}

const isBehind = (term: Uint8Array, wanted: Uint8Array, at: number): boolean =>
  (term[at] as number) > (wanted[at] as number);

/** Zero where the term begins so, below zero where it comes before such terms. */
function compareBeginning({ term }: Entries, wanted: Uint8Array): number {
  const { bytes, length } = term;
  for (let index = 0; index < wanted.length; index++) {
    if (index === length) return -1;
    const difference = (bytes[index] as number) - (wanted[index] as number);
    if (difference !== 0) return difference;
  }
  return 0;
}
