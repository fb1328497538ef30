import type { DatabaseSync } from "node:sqlite";
import { idTimeMs, lastId, lowestId, nextMillisecondId } from "../../posts/ids.ts";
import { type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { openForReading } from "../database.ts";
import { countBetween } from "../sealed/chunk-set.ts";
import { type DeletionBitmap, readDeletionBitmap } from "../sealed/deletion-bitmap.ts";
import { type DocNumbers, openDocNumbers } from "../sealed/doc-numbers.ts";
import { chunkCount, postsPerChunk } from "../sealed/format.ts";
import { sealedState } from "../sealed/sealed-state.ts";
import { lowerBound } from "../segments/id-list.ts";
import { markOnDamage, unlessMarkedDamaged } from "../segments/integrity.ts";

/**
 * The first ID of each part except the first. Parts are of about equal size, at most about
 * `splitPosts` posts. No cut splits a millisecond.
 */
export function findSplitIds(folder: string, entry: SegmentEntry, splitPosts: number): bigint[] {
  const path = segmentPath(folder, entry);
  const segment = openForReading(path, 2_000);
  try {
    const posts = Number(segment.prepare(postsSql).get()?.value);
    const parts = Math.ceil(posts / splitPosts);
    const nthId = nthIdReader(segment, path);
    const selectEnds = segment.prepare("SELECT min(id) AS low, max(id) AS high FROM post");
    selectEnds.setReadBigInts(true);
    const { low, high } = selectEnds.get() as { low: bigint | null; high: bigint | null };
    if (low === null || high === null) return [];
    const cuts = new Set<bigint>();
    for (let part = 1; part < parts; part += 1) {
      const id = nthId(Math.round((posts * part) / parts));
      if (id === null) continue;
      const first = lowestId(idTimeMs(id));
      const cut = first > low ? first : nextMillisecondId(id);
      if (cut > low && cut <= high) cuts.add(cut);
    }
    return [...cuts].sort((a, b) => (a < b ? -1 : 1));
  } finally {
    segment.close();
  }
}

const postsSql = "SELECT value FROM setting WHERE name = 'posts'";

export function nthIdReader(segment: DatabaseSync, path: string): (n: number) => bigint | null {
  if (sealedState(segment) === null) return tableIdReader(segment, "term_docsize");
  const readFromTable = tableIdReader(segment, "post");
  const readFromIndexes = unlessMarkedDamaged(
    path,
    () => indexIdReader(segment, path),
    () => readFromTable,
  );
  return (n) =>
    markOnDamage(
      path,
      () => readFromIndexes(n),
      () => readFromTable(n),
    );
}

function tableIdReader(segment: DatabaseSync, table: "post" | "term_docsize") {
  const selectNth = segment.prepare(`SELECT id FROM ${table} ORDER BY id LIMIT 1 OFFSET ?`);
  selectNth.setReadBigInts(true);
  return (n: number): bigint | null => (selectNth.get(n)?.id as bigint | undefined) ?? null;
}

function segmentDeltaIds(segment: DatabaseSync): BigInt64Array {
  const statement = segment.prepare("SELECT id FROM term_docsize ORDER BY id");
  statement.setReadBigInts(true);
  return BigInt64Array.from(statement.all().map(({ id }) => id as bigint));
}

function indexIdReader(segment: DatabaseSync, path: string) {
  const numbers = openDocNumbers(segment, path, null);
  const deletions = readDeletionBitmap(segment);
  const deltaIds = segmentDeltaIds(segment);
  return (n: number): bigint | null => {
    let low = 0n;
    let high = lastId;
    while (low < high) {
      const middle = (low + high) >> 1n;
      const posts =
        countSealedBelow(numbers, deletions, middle + 1n) + lowerBound(deltaIds, middle + 1n);
      if (posts > n) high = middle;
      else low = middle + 1n;
    }
    return low === lastId ? null : low;
  };
}

function countSealedBelow(numbers: DocNumbers, deletions: DeletionBitmap, id: bigint): number {
  const from = numbers.firstNumberBelow(id);
  let count = numbers.posts - from;
  for (let chunk = Math.floor(from / postsPerChunk); chunk < chunkCount(numbers.posts); chunk++) {
    const replacedSet = deletions.replacedSet(chunk);
    if (replacedSet === null) continue;
    count -= countBetween(replacedSet, Math.max(0, from - chunk * postsPerChunk), postsPerChunk);
  }
  return count;
}
