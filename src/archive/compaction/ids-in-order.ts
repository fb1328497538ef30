import type { DatabaseSync } from "node:sqlite";
import { lastId } from "../../posts/ids.ts";
import { countBetween } from "../sealed/chunk-set.ts";
import { type Mask, readMask } from "../sealed/deletion-bitmap.ts";
import { openPostNumbers, type PostNumbers } from "../sealed/doc-numbers.ts";
import { chunksOf, postsOfChunk } from "../sealed/format.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { guardedBySeal, markingDamage } from "../segments/damage-marker.ts";
import { lowerBound } from "../segments/id-list.ts";

/**
 * The ID of a segment's nth post, from 0 on, lowest IDs first; null where it has no more. Rows need not be walked over: the
 * sizes of FTS5's documents lie by ID too, and are small, and of sealed posts the IDs lie side by side. Holds
 * for as long as nothing is written to the segment.
 */
export function idsInOrder(segment: DatabaseSync, path: string): (n: number) => bigint | null {
  if (sealedState(segment) === null) return inTable(segment, "term_docsize");
  const walked = inTable(segment, "post");
  const looked = guardedBySeal(
    path,
    () => inBoth(segment, path),
    () => walked,
  );
  return (n) =>
    markingDamage(
      path,
      () => looked(n),
      () => walked(n),
    );
}

function inTable(segment: DatabaseSync, table: "post" | "term_docsize") {
  const nth = segment.prepare(`SELECT id FROM ${table} ORDER BY id LIMIT 1 OFFSET ?`);
  nth.setReadBigInts(true);
  return (n: number): bigint | null => (nth.get(n)?.id as bigint | undefined) ?? null;
}

/** The posts that were written since the segment was sealed, lowest IDs first. */
function writtenIn(segment: DatabaseSync): BigInt64Array {
  const statement = segment.prepare("SELECT id FROM term_docsize ORDER BY id");
  statement.setReadBigInts(true);
  return BigInt64Array.from(statement.all().map(({ id }) => id as bigint));
}

/** Looks in both indexes of a sealed segment: halves the IDs until only the one is left below which n posts lie. */
function inBoth(segment: DatabaseSync, path: string) {
  const numbers = openPostNumbers(segment, path, null);
  const mask = readMask(segment);
  const written = writtenIn(segment);
  return (n: number): bigint | null => {
    let low = 0n;
    let high = lastId;
    while (low < high) {
      const middle = (low + high) >> 1n;
      const posts = sealedBelow(numbers, mask, middle + 1n) + lowerBound(written, middle + 1n);
      if (posts > n) high = middle;
      else low = middle + 1n;
    }
    return low === lastId ? null : low;
  };
}

/** How many sealed posts that were not replaced have lower IDs. */
function sealedBelow(numbers: PostNumbers, mask: Mask, id: bigint): number {
  const from = numbers.below(id);
  let count = numbers.posts - from;
  for (let chunk = Math.floor(from / postsOfChunk); chunk < chunksOf(numbers.posts); chunk++) {
    const replaced = mask.replaced(chunk);
    if (replaced === null) continue;
    count -= countBetween(replaced, Math.max(0, from - chunk * postsOfChunk), postsOfChunk);
  }
  return count;
}
