import type { IdRange } from "../../posts/ids.ts";
import { type ChunkSet, members } from "../sealed/chunk-set.ts";
import { numbersOfRange } from "../sealed/doc-numbers.ts";
import type { SealedWork } from "../sealed/evaluate.ts";
import { postsOfChunk } from "../sealed/format.ts";
import type { ChunkMatches, SealedIndex } from "../sealed/sealed-index.ts";
import type { SealedQuery } from "../sealed/sealed-query.ts";

/** Posts that an index names, newest first: all there are from `seenTo` on, below those of the batch before. */
export type CandidateBatch = { ids: readonly bigint[]; seenTo: bigint };

/** What FTS5 names of a range of IDs, newest first, at most `limit` of them; it may end sooner, above the range's lower end. */
export type OverlayLookup = (range: IdRange, limit: number) => CandidateBatch;

/** The two indexes of a sealed segment that are asked. `overlay` is null where FTS5 holds nothing. */
export type Sources = {
  index: SealedIndex;
  query: SealedQuery;
  leftOut(chunk: number): ChunkSet | null;
  overlay: OverlayLookup | null;
};

/** However many are wanted, candidates are gathered by no more at a time. */
const largestBatch = 8_192;
/** Numbers within a chunk, for as long as it takes to look up their IDs. */
const found = new Uint16Array(largestBatch);

/**
 * Candidates of a sealed segment among a range of IDs, newest first. No post is in both indexes: their lists need only be put into
 * one order. FTS5 is asked second, and only down to where the sealed index came. Batches begin at `wanted` candidates and
 * double: where many of them turn out not to match, FTS5 is not asked too often. A batch ends sooner when `expired` says so,
 * which is asked after each chunk; it always comes down by one chunk at least, unless FTS5 ends above that.
 */
export function* mergedCandidates(
  { index, query, leftOut, overlay }: Sources,
  range: IdRange,
  wanted: number,
  expired: () => boolean,
  work: SealedWork,
): Generator<CandidateBatch, void> {
  const { numbers } = index;
  const { from, to } = numbersOfRange(numbers, range);
  const chunks = index.matches(query, { from, to }, leftOut, work);
  let chunk: IteratorResult<ChunkMatches, void> | null = null;
  /** All numbers below it were looked at. */
  let number = from;

  /** The next candidates of the sealed index, `size` of them unless it ends sooner. */
  function gather(size: number): CandidateBatch {
    const ids: bigint[] = [];
    while (ids.length < size) {
      chunk ??= chunks.next();
      if (chunk.done) break;
      const { set, to: end } = chunk.value;
      const base = chunk.value.chunk * postsOfChunk;
      const most = Math.min(size - ids.length, largestBatch);
      const count = members(set, number - base, end, found, most);
      for (let place = 0; place < count; place++) {
        ids.push(numbers.idOf(base + (found[place] as number)));
      }
      if (count === most) {
        number = base + (found[count - 1] as number) + 1;
        continue;
      }
      number = base + end;
      chunk = null;
      if (number < to && expired()) break;
    }
    return { ids, seenTo: number < to ? numbers.idOf(number) + 1n : range.low };
  }

  try {
    let size = Math.max(wanted, 1);
    let sealed = gather(size);
    for (let high = range.high; ; ) {
      const batch =
        overlay === null ? sealed : merged(sealed.ids, overlay({ low: sealed.seenTo, high }, size));
      yield batch;
      if (batch.seenTo <= range.low) return;
      high = batch.seenTo - 1n;
      size = Math.max(size, Math.min(size * 2, largestBatch));
      // Where FTS5 did not come as far down, what the sealed index named below waits for it.
      const left = batch.seenTo === sealed.seenTo ? [] : sealed.ids.filter((id) => id <= high);
      sealed = left.length > 0 ? { ids: left, seenTo: sealed.seenTo } : gather(size);
    }
  } finally {
    chunks.return();
  }
}

/** Both lists in one, newest first, as far down as both were looked at. */
function merged(sealed: readonly bigint[], overlay: CandidateBatch): CandidateBatch {
  const { ids: written, seenTo } = overlay;
  const ids: bigint[] = [];
  let next = 0;
  for (const id of sealed) {
    if (id < seenTo) break;
    for (; next < written.length && (written[next] as bigint) > id; next++) {
      ids.push(written[next] as bigint);
    }
    ids.push(id);
  }
  for (; next < written.length; next++) ids.push(written[next] as bigint);
  return { ids, seenTo };
}
