import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import { readMembers } from "../sealed/chunk-set.ts";
import { readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { docNumberRange } from "../sealed/doc-numbers.ts";
import { postsPerChunk } from "../sealed/format.ts";
import { openSealedIndex } from "../sealed/sealed-index.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";
import { createTermCache } from "../sealed/term-cache.ts";

const termBytes = 2 ** 20;

/**
 * Newest first, including hidden posts. Empty if the segment is not sealed. Errors:
 * `SealedDamageError`.
 */
export function sealedIds(
  database: DatabaseSync,
  path: string,
  query: SealedQuery,
  range: IdRange,
): bigint[] {
  const terms = createTermCache(termBytes);
  const index = openSealedIndex(database, { name: path, terms, ids: null });
  if (index === null) return [];
  const { replacedSet } = readDeletionBitmap(database);
  const numbers = docNumberRange(index.numbers, range);
  const ids: bigint[] = [];
  const memberBuffer = new Uint16Array(postsPerChunk);
  for (const matches of index.matches(query, numbers, replacedSet, { containers: 0 })) {
    const { chunk, set, from, to } = matches;
    const count = readMembers(set, from, to, memberBuffer, postsPerChunk);
    for (let position = 0; position < count; position++) {
      ids.push(index.numbers.idAt(chunk * postsPerChunk + (memberBuffer[position] as number)));
    }
  }
  return ids;
}
