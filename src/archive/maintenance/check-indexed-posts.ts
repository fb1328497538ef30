import type { DatabaseSync } from "node:sqlite";
import type { Report } from "./index-findings.ts";
import type { SealedDocNumbers } from "./sealed-doc-numbers.ts";

const idsPerStep = 20_000;

/** Each stored post must be indexed once: in FTS5, or in the sealed index and not replaced. */
export function* checkIndexedPosts(
  database: DatabaseSync,
  sealed: SealedDocNumbers | null,
  report: Report,
): Generator<number, void> {
  const rowIds = descendingIds(database, "post");
  const indexedIds = descendingIds(database, "term_docsize");
  const hiddenIds = descendingIds(database, "hidden");
  const sealedIds = descendingNumbers(sealed);
  let checkedIds = 0;
  for (;;) {
    const id = highestId(rowIds.next, indexedIds.next, hiddenIds.next, sealedIds.next);
    if (id === null) return;
    const isStored = rowIds.take(id);
    const isInFts = indexedIds.take(id);
    const isHidden = hiddenIds.take(id);
    const number = sealedIds.take(id);
    const isSealed = sealed !== null && number !== null && !sealed.isReplaced(number);
    if (isStored && !isInFts && !isSealed) {
      report("index_lacks", id, `post ${id} is not in the index`);
    }
    if (!isStored && (isInFts || isSealed)) {
      report("index_exceeds", id, `the index has post ${id}, which is not stored`);
    }
    if (isInFts && isSealed) {
      report(
        "index_exceeds",
        id,
        `the index has post ${id} twice, in the sealed index and in FTS5`,
      );
    }
    if (isStored && isSealed && sealed.isHidden(number) !== isHidden) {
      if (isHidden)
        report("index_exceeds", id, `the sealed index shows post ${id}, which is hidden`);
      else report("index_lacks", id, `the sealed index hides post ${id}, which is not hidden`);
    }
    checkedIds += 1;
    if (checkedIds % idsPerStep === 0) yield 0;
  }
}

type DescendingIds = {
  readonly next: bigint | null;
  take(id: bigint): boolean;
};

function descendingIds(database: DatabaseSync, table: string): DescendingIds {
  const statement = database.prepare(`SELECT id FROM ${table} ORDER BY id DESC`);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  const rows = statement.iterate() as unknown as Iterator<[bigint]>;
  let next = readNext();

  function readNext(): bigint | null {
    const row = rows.next();
    return row.done === true ? null : row.value[0];
  }

  return {
    get next() {
      return next;
    },
    take: (id) => {
      if (next !== id) return false;
      next = readNext();
      return true;
    },
  };
}

function descendingNumbers(sealed: SealedDocNumbers | null) {
  let number = 0;
  const next = (): bigint | null =>
    sealed !== null && number < sealed.posts ? sealed.docId(number) : null;
  return {
    get next() {
      return next();
    },
    take: (id: bigint): number | null => {
      if (next() !== id) return null;
      number += 1;
      return number - 1;
    },
  };
}

function highestId(...ids: readonly (bigint | null)[]): bigint | null {
  let max: bigint | null = null;
  for (const id of ids) if (id !== null && (max === null || id > max)) max = id;
  return max;
}
