import {
  firstSnowflake,
  firstTimeMs,
  type IdRange,
  idTimeMs,
  type TimeSkew,
} from "../../posts/ids.ts";

/** Stretches of time side by side: the one with number n is [originMs + n · widthMs, originMs + (n + 1) · widthMs). */
export type Grid = { originMs: number; widthMs: number };

/** From which time on everything is counted when all IDs from `stoppedAt` on are. */
export function countedFrom(stoppedAt: bigint, { maxMs }: TimeSkew): number {
  // Whatever lies below may be a post whose ID tells no time; it is not younger than the IDs that do.
  return Math.max(idTimeMs(stoppedAt) + maxMs, firstTimeMs) + 1;
}

/**
 * How an ID's time part becomes the number of a stretch: with `offsetMs` added it is the latest time the post can have, counted
 * from the grid's origin. Where that lies less than `doubtMs` after the beginning of a stretch, the row's time decides.
 */
export type Clocking = Grid & { offsetMs: number; doubtMs: number };

/** What was counted of a range of IDs, as far as `stoppedAt` where the deadline came before its end. */
export type Tally = {
  /** Matches of each stretch that has any, by its number. */
  counts: Map<number, number>;
  stoppedAt: bigint | null;
  /** IDs of posts that may not be counted, as what tells whether they match, or when, is damaged. */
  damaged: IdRange[];
  statements: number;
  containers: number;
};

export const emptyTally = (): Tally => ({
  counts: new Map(),
  stoppedAt: null,
  damaged: [],
  statements: 0,
  containers: 0,
});

/** IDs that tell a time and those that do not, newest first; of the latter only the rows know the times. */
export function partsOf(
  { low, high }: IdRange,
  grid: Grid,
  { minMs, maxMs }: TimeSkew,
): { part: IdRange; clocking: Clocking }[] {
  const offsetMs = idTimeMs(0n) + maxMs - grid.originMs;
  const told = { part: { low: greater(low, firstSnowflake), high }, doubtMs: maxMs - minMs };
  const untold = { part: { low, high: lesser(high, firstSnowflake - 1n) }, doubtMs: grid.widthMs };
  return [told, untold]
    .filter(({ part }) => part.low <= part.high)
    .map(({ part, doubtMs }) => ({ part, clocking: { ...grid, offsetMs, doubtMs } }));
}

const greater = (a: bigint, b: bigint): bigint => (a > b ? a : b);
const lesser = (a: bigint, b: bigint): bigint => (a < b ? a : b);

export function add(counts: Map<number, number>, stretch: number, number: number): void {
  counts.set(stretch, (counts.get(stretch) ?? 0) + number);
}
