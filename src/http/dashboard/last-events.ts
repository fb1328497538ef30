import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";

/** Posts by their time, of each platform: how many lie in each stretch that has any, by its beginning, Unix milliseconds. */
export type HeardPosts = ReadonlyMap<Platform, ReadonlyMap<number, number>>;

/**
 * What is counted by: it divides the parts of every range, so that all ranges ask the archive the same question, whose answers
 * it remembers for the segments that do not change.
 */
export const heardUnitMs = 300_000;

/** How long the reader that counts is held by one question; the counts of searches have their turn between two. */
const turnMs = 250;
const longestTurnMs = 8_000;

/**
 * Counts the posts of platforms from a time on, newest first. Errors: those of the archive, and the signal's reason when it
 * aborts.
 */
export async function countHeard(
  { archive, clock }: { archive: Pick<Archive, "count">; clock: Pick<Clock, "now"> },
  asked: { platforms: readonly Platform[]; fromMs: number; toMs: number },
  signal: AbortSignal,
): Promise<HeardPosts> {
  const heard = new Map<Platform, ReadonlyMap<number, number>>();
  for (const platform of asked.platforms) {
    const counts = new Map<number, number>();
    let forMs = turnMs;
    for (let toMs = asked.toMs; toMs > asked.fromMs; ) {
      signal.throwIfAborted();
      const { buckets, countedFromMs } = await archive.count(
        {
          plan: { kind: "all" },
          platforms: [platform],
          fromMs: asked.fromMs,
          toMs,
          bucketMs: heardUnitMs,
          deadlineMs: clock.now() + forMs,
        },
        signal,
      );
      for (const { fromMs, count } of buckets) counts.set(fromMs, count);
      // A stretch that takes longer than a turn gets a longer one.
      forMs = countedFromMs < toMs ? turnMs : Math.min(2 * forMs, longestTurnMs);
      toMs = countedFromMs;
    }
    heard.set(platform, counts);
  }
  return heard;
}

/** The same in so many equal parts from `fromMs` on, each a multiple of the unit wide. */
export function inParts(
  counts: ReadonlyMap<number, number>,
  { fromMs, partMs, parts }: { fromMs: number; partMs: number; parts: number },
): number[] {
  const sums = Array.from({ length: parts }, () => 0);
  for (const [startMs, count] of counts) {
    const part = Math.floor((startMs - fromMs) / partMs);
    const sum = sums[part];
    if (sum !== undefined) sums[part] = sum + count;
  }
  return sums;
}
