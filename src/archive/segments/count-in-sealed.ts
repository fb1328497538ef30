import type { IdRange } from "../../posts/ids.ts";
import { type ChunkSet, countBetween, readMembers } from "../sealed/chunk-set.ts";
import { type DocNumbers, docNumberRange } from "../sealed/doc-numbers.ts";
import { postsPerChunk } from "../sealed/format.ts";
import type { ChunkMatches } from "../sealed/sealed-index.ts";
import { addToBucket, type BucketTally, type IdClock } from "./id-clock.ts";
import type { CandidateSources } from "./merged-candidates.ts";

/** The times of the existing posts, in Unix milliseconds and any order. */
export type ReadTimes = (ids: readonly bigint[]) => readonly number[];

const timesPerStep = 512;
const buffer = new Uint16Array(timesPerStep);

/**
 * The posts in a bucket are adjacent, so one step counts them. Reads a row only if its ID fits
 * several buckets.
 */
export function countInSealed(
  { index, query, omittedSet }: Omit<CandidateSources, "delta">,
  range: IdRange,
  clock: IdClock,
  readTimes: ReadTimes,
  expired: () => boolean,
  tally: BucketTally,
): void {
  const { numbers } = index;
  const { from, to } = docNumberRange(numbers, range);
  for (const matches of index.matches(query, { from, to }, omittedSet, tally)) {
    const reachedNumber = countChunk(numbers, matches, clock, readTimes, expired, tally);
    const end = matches.chunk * postsPerChunk + matches.to;
    if (reachedNumber >= to || (reachedNumber === end && !expired())) continue;
    tally.stoppedAt = numbers.idAt(reachedNumber) + 1n;
    return;
  }
}

/** Returns the doc number up to which posts were counted, exclusive. */
function countChunk(
  numbers: DocNumbers,
  { chunk, set, from, to }: ChunkMatches,
  { offsetMs, widthMs, uncertaintyMs, originMs }: IdClock,
  readTimes: ReadTimes,
  expired: () => boolean,
  tally: BucketTally,
): number {
  const base = chunk * postsPerChunk;
  for (let next = nextMember(set, from, to); next !== null; ) {
    const latestMs = timePart(numbers.idAt(base + next)) + offsetMs;
    const bucket = Math.floor(latestMs / widthMs);
    const isCertain = latestMs - bucket * widthMs >= uncertaintyMs;
    const firstMs = bucket * widthMs + (isCertain ? uncertaintyMs : 0);
    // If every ID is ambiguous, all rows are read.
    const lowest = uncertaintyMs < widthMs ? lowestOf(firstMs - offsetMs) : 0n;
    let end = Math.min(numbers.firstNumberBelow(lowest) - base, to);
    if (isCertain) {
      addToBucket(tally.counts, bucket, countBetween(set, next, end));
    } else {
      const count = readMembers(set, next, end, buffer, timesPerStep);
      const ids = Array.from(buffer.subarray(0, count), (number) => numbers.idAt(base + number));
      if (count === timesPerStep) end = (buffer[count - 1] as number) + 1;
      for (const ms of readTimes(ids))
        addToBucket(tally.counts, Math.floor((ms - originMs) / widthMs), 1);
      if (expired()) return base + end;
    }
    next = nextMember(set, end, to);
  }
  return base + to;
}

const timePart = (id: bigint): number => Number(id >> 22n);
const lowestOf = (part: number): bigint => (part <= 0 ? 0n : BigInt(part) << 22n);

function nextMember(set: ChunkSet, from: number, to: number): number | null {
  if (from >= to || readMembers(set, from, to, buffer, 1) === 0) return null;
  return buffer[0] as number;
}
