/**
 * Milliseconds to wait before the next try after `failures` failed ones (from 0): doubled each time up to `mostMs`, of which
 * the upper half is random, so that clients cut off together do not come back together.
 */
export function backoffMs(
  failures: number,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
  random: () => number,
): number {
  const full = Math.min(mostMs, leastMs * 2 ** Math.min(failures, 30));
  return full / 2 + (random() * full) / 2;
}
