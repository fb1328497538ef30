import type { DatabaseSync } from "node:sqlite";
import { countBetween } from "../sealed/chunk-set.ts";
import { readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { openDocNumbers } from "../sealed/doc-numbers.ts";
import { postsPerChunk } from "../sealed/format.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { createIdList, type IdList } from "./id-list.ts";

export function knownIds(database: DatabaseSync): IdList {
  const idList = createIdList();
  for (const table of ["uri", "term_docsize"] as const) {
    untilUnreadable(() => {
      const selectIds = database.prepare(`SELECT id FROM ${table}`);
      selectIds.setReadBigInts(true);
      for (const { id } of selectIds.iterate()) idList.add(id as bigint);
    });
  }
  untilUnreadable(() => addSealedIds(database, idList));
  return idList;
}

function addSealedIds(database: DatabaseSync, idList: IdList): void {
  if (sealedState(database) === null) return;
  const numbers = openDocNumbers(database, "salvage", null);
  const deletions = readDeletionBitmap(database);
  for (let number = 0; number < numbers.posts; number++) {
    untilUnreadable(() => {
      const replacedSet = deletions.replacedSet(Math.floor(number / postsPerChunk));
      const position = number % postsPerChunk;
      if (replacedSet !== null && countBetween(replacedSet, position, position + 1) > 0) return;
      idList.add(numbers.idAt(number));
    });
  }
  numbers.close();
}

function untilUnreadable(work: () => void): void {
  try {
    work();
  } catch {
    // Other lists contain the same posts.
  }
}
