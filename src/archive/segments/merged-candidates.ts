import type { IdRange } from "../../posts/ids.ts";
import { type ChunkSet, readMembers } from "../sealed/chunk-set.ts";
import { docNumberRange } from "../sealed/doc-numbers.ts";
import type { SealedWork } from "../sealed/evaluate.ts";
import { postsPerChunk } from "../sealed/format.ts";
import type { ChunkMatches, SealedIndex } from "../sealed/sealed-index.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";

/** All candidates from the previous batch down to `seenTo`, newest first. */
export type CandidateBatch = { ids: readonly bigint[]; seenTo: bigint };

export type DeltaLookup = (range: IdRange, limit: number) => CandidateBatch;

export type CandidateSources = {
  index: SealedIndex;
  query: SealedQuery;
  omittedSet(chunk: number): ChunkSet | null;
  delta: DeltaLookup | null;
};

const largestBatch = 8_192;
const memberBuffer = new Uint16Array(largestBatch);

/**
 * Merges the candidates from both indexes of a sealed segment, newest first. FTS5 is queried down
 * to the lowest ID read from the sealed index. Batch sizes start at `firstSize` and double, so that
 * rare matches cause few FTS5 queries. After the deadline, a batch ends after its first chunk.
 */
export function* mergedCandidates(
  { index, query, omittedSet, delta }: CandidateSources,
  range: IdRange,
  firstSize: number,
  expired: () => boolean,
  work: SealedWork,
): Generator<CandidateBatch, void> {
  const { numbers } = index;
  const { from, to } = docNumberRange(numbers, range);
  const chunks = index.matches(query, { from, to }, omittedSet, work);
  let chunk: IteratorResult<ChunkMatches, void> | null = null;
  let number = from;

  function gather(size: number): CandidateBatch {
    const ids: bigint[] = [];
    while (ids.length < size) {
      chunk ??= chunks.next();
      if (chunk.done) break;
      const { set, to: end } = chunk.value;
      const base = chunk.value.chunk * postsPerChunk;
      const max = Math.min(size - ids.length, largestBatch);
      // `number` may be in an earlier chunk, because empty chunks are left out.
      const count = readMembers(set, Math.max(0, number - base), end, memberBuffer, max);
      for (let position = 0; position < count; position++) {
        ids.push(numbers.idAt(base + (memberBuffer[position] as number)));
      }
      if (count === max) {
        number = base + (memberBuffer[count - 1] as number) + 1;
        continue;
      }
      number = base + end;
      chunk = null;
      if (number < to && expired()) break;
    }
    return { ids, seenTo: number < to ? numbers.idAt(number) + 1n : range.low };
  }

  try {
    let size = Math.max(firstSize, 1);
    let sealedBatch = gather(size);
    for (let high = range.high; ; ) {
      const batch =
        delta === null
          ? sealedBatch
          : mergeBatches(sealedBatch.ids, delta({ low: sealedBatch.seenTo, high }, size));
      yield batch;
      if (batch.seenTo <= range.low) return;
      high = batch.seenTo - 1n;
      size = Math.max(size, Math.min(size * 2, largestBatch));
      // If FTS5 has stopped above `sealedBatch.seenTo`, the lower candidates remain.
      const remainingIds =
        batch.seenTo === sealedBatch.seenTo ? [] : sealedBatch.ids.filter((id) => id <= high);
      sealedBatch =
        remainingIds.length > 0 ? { ids: remainingIds, seenTo: sealedBatch.seenTo } : gather(size);
    }
  } finally {
    chunks.return();
  }
}

function mergeBatches(sealedIds: readonly bigint[], delta: CandidateBatch): CandidateBatch {
  const { ids: deltaIds, seenTo } = delta;
  const ids: bigint[] = [];
  let next = 0;
  for (const id of sealedIds) {
    if (id < seenTo) break;
    for (; next < deltaIds.length && (deltaIds[next] as bigint) > id; next++) {
      ids.push(deltaIds[next] as bigint);
    }
    ids.push(id);
  }
  for (; next < deltaIds.length; next++) ids.push(deltaIds[next] as bigint);
  return { ids, seenTo };
}
