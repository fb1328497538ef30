import {
  firstSnowflake,
  firstTimeMs,
  type IdRange,
  idTimeMs,
  type TimeSkew,
} from "../../posts/ids.ts";

/** Bucket n is [originMs + n · widthMs, originMs + (n + 1) · widthMs). */
export type BucketGrid = { originMs: number; widthMs: number };

export function countedFromMs(stoppedAt: bigint, { maxMs }: TimeSkew): number {
  // Uncounted posts are no later than `stoppedAt` allows, or than `firstTimeMs` if their IDs have
  // no time.
  return Math.max(idTimeMs(stoppedAt) + maxMs, firstTimeMs) + 1;
}

/**
 * An ID's time part plus `offsetMs` is the post's latest possible time since the origin. If it is
 * within `uncertaintyMs` of a bucket's start, the row must be read.
 */
export type IdClock = BucketGrid & { offsetMs: number; uncertaintyMs: number };

export type BucketTally = {
  counts: Map<number, number>;
  stoppedAt: bigint | null;
  damaged: IdRange[];
  statements: number;
  containers: number;
};

export const emptyTally = (): BucketTally => ({
  counts: new Map(),
  stoppedAt: null,
  damaged: [],
  statements: 0,
  containers: 0,
});

export function splitByClock(
  { low, high }: IdRange,
  grid: BucketGrid,
  { minMs, maxMs }: TimeSkew,
): { part: IdRange; clock: IdClock }[] {
  const offsetMs = idTimeMs(0n) + maxMs - grid.originMs;
  const timedIds = {
    part: { low: maxId(low, firstSnowflake), high },
    uncertaintyMs: maxMs - minMs,
  };
  const untimedIds = {
    part: { low, high: minId(high, firstSnowflake - 1n) },
    uncertaintyMs: grid.widthMs,
  };
  return [timedIds, untimedIds]
    .filter(({ part }) => part.low <= part.high)
    .map(({ part, uncertaintyMs }) => ({ part, clock: { ...grid, offsetMs, uncertaintyMs } }));
}

const maxId = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const minId = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export function addToBucket(counts: Map<number, number>, bucket: number, count: number): void {
  counts.set(bucket, (counts.get(bucket) ?? 0) + count);
}
