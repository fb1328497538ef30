import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import { statementCache } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { docNumberRange, openDocNumbers } from "../sealed/doc-numbers.ts";
import { postsPerChunk } from "../sealed/format.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { markedTables } from "./integrity.ts";
import { isInSet } from "./lookup.ts";

/**
 * The visible posts in a range, newest first, found without an index search. Includes posts with a
 * damaged or lost row. Calls `onIncomplete` if the lists of posts are damaged as well.
 */
export type AllPosts = (range: IdRange, onIncomplete: () => void) => Generator<bigint, void>;

const listTables: ReadonlySet<string> = new Set(["term_docsize", "hidden"]);

const idsPerStep = 500;

/** Requires a snapshot. */
export function openAllPosts(database: DatabaseSync, path: string): AllPosts {
  const statement = statementCache(database);

  function* readIds(
    table: string,
    { low, high }: IdRange,
    onDamage: () => void,
  ): Generator<bigint> {
    const select = statement(
      `SELECT id FROM ${table} WHERE id BETWEEN ? AND ? ORDER BY id DESC LIMIT ${idsPerStep}`,
    );
    let stride = 1n;
    for (let next = high; next >= low; ) {
      const { rows, isDamaged } = rowsUntilDamage(() => select.iterate(low, next));
      if (isDamaged) onDamage();
      for (const [id] of rows) {
        // A page overwritten with a copy of another page repeats that page's rows.
        if (id > next || id < low) {
          onDamage();
          return;
        }
        yield id;
        next = id - 1n;
        stride = 1n;
      }
      if (!isDamaged && rows.length < idsPerStep) return;
      if (rows.length > 0) continue;
      next -= stride;
      stride *= 2n;
    }
  }

  function sealedIds({ low, high }: IdRange): Generator<bigint> | null {
    return unlessDamaged(() => {
      const numbers = openDocNumbers(database, path, null);
      const { replacedSet } = readDeletionBitmap(database);
      const { from, to } = docNumberRange(numbers, { low, high });
      return (function* () {
        for (let number = from; number < to; number++) {
          const chunk = Math.floor(number / postsPerChunk);
          if (!isInSet(replacedSet(chunk), number % postsPerChunk)) yield numbers.idAt(number);
        }
      })();
    }, null);
  }

  return function* allPosts(range, onIncomplete) {
    const isListTrusted = !markedTables(path).some((table) => listTables.has(table));
    let isComplete = isListTrusted;
    const onDamage = (): void => {
      isComplete = false;
    };
    const idLists = [readIds("term_docsize", range, onDamage)];
    if (unlessDamaged(() => sealedState(database), null) !== null) {
      const sealed = sealedIds(range);
      if (sealed === null) onDamage();
      else idLists.push(untilDamage(sealed, onDamage));
    }
    const selectHidden = statement("SELECT 1 FROM hidden WHERE id = ?");
    const listedIds = [...mergeDescending(idLists)];
    if (!isComplete) onIncomplete();
    const allIds = isComplete
      ? listedIds
      : mergeDescending([listedIds.values(), readIds("post", range, () => {})]);
    for (const id of allIds) {
      if (unlessDamaged(() => selectHidden.get(id), undefined) === undefined) yield id;
    }
  };
}

type IdRow = [id: bigint];

function rowsUntilDamage(read: () => Iterable<unknown>): { rows: IdRow[]; isDamaged: boolean } {
  const rows: IdRow[] = [];
  try {
    for (const row of read()) rows.push(row as IdRow);
    return { rows, isDamaged: false };
  } catch (error) {
    if (!isDamage(error)) throw error;
    return { rows, isDamaged: true };
  }
}

function unlessDamaged<Value, Fallback>(work: () => Value, fallback: Fallback): Value | Fallback {
  try {
    return work();
  } catch (error) {
    if (isDamage(error)) return fallback;
    throw error;
  }
}

function* untilDamage(list: Generator<bigint>, onDamage: () => void): Generator<bigint> {
  try {
    yield* list;
  } catch (error) {
    if (!isDamage(error)) throw error;
    onDamage();
  }
}

function* mergeDescending(lists: readonly Iterator<bigint>[]): Generator<bigint> {
  const heads = lists.map((list) => list.next());
  for (;;) {
    let highest: bigint | null = null;
    for (const next of heads) {
      if (!next.done && (highest === null || next.value > highest)) highest = next.value;
    }
    if (highest === null) return;
    yield highest;
    for (const [index, next] of heads.entries()) {
      if (next.done || next.value !== highest) continue;
      const list = lists[index];
      if (list !== undefined) heads[index] = list.next();
    }
  }
}
