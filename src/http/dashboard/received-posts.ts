import type { Archive } from "../../archive/archive.ts";
import type { Clock } from "../../lib/clock.ts";
import type { Platform } from "../../posts/post.ts";

/** Posts by the start of their unit in Unix milliseconds; empty units are absent. */
export type ReceivedPosts = ReadonlyMap<Platform, ReadonlyMap<number, number>>;

/** Divides the parts of every range evenly, so that ranges share cached counts. */
export const receivedUnitMs = 300_000;

const sliceMs = 250;
const maxSliceMs = 8_000;

/** Counts the newest first. Errors: those of the archive, and the signal's reason. */
export async function countReceivedPosts(
  { archive, clock }: { archive: Pick<Archive, "count">; clock: Pick<Clock, "now"> },
  request: { platforms: readonly Platform[]; fromMs: number; toMs: number },
  signal: AbortSignal,
): Promise<ReceivedPosts> {
  const receivedPosts = new Map<Platform, ReadonlyMap<number, number>>();
  for (const platform of request.platforms) {
    const counts = new Map<number, number>();
    let timeoutMs = sliceMs;
    for (let toMs = request.toMs; toMs > request.fromMs; ) {
      signal.throwIfAborted();
      const { buckets, countedFromMs } = await archive.count(
        {
          plan: { kind: "all" },
          platforms: [platform],
          fromMs: request.fromMs,
          toMs,
          bucketMs: receivedUnitMs,
          deadlineMs: clock.now() + timeoutMs,
        },
        signal,
      );
      for (const { fromMs, count } of buckets) counts.set(fromMs, count);
      // If a unit takes longer than a slice, the next slice is longer.
      timeoutMs = countedFromMs < toMs ? sliceMs : Math.min(2 * timeoutMs, maxSliceMs);
      toMs = countedFromMs;
    }
    receivedPosts.set(platform, counts);
  }
  return receivedPosts;
}

/** `partMs` is a multiple of the unit. */
export function countsByPart(
  counts: ReadonlyMap<number, number>,
  { fromMs, partMs, parts }: { fromMs: number; partMs: number; parts: number },
): number[] {
  const sums = Array.from({ length: parts }, () => 0);
  for (const [startMs, count] of counts) {
    const partIndex = Math.floor((startMs - fromMs) / partMs);
    const sum = sums[partIndex];
    if (sum !== undefined) sums[partIndex] = sum + count;
  }
  return sums;
}
