/**
 * Exponential, capped at `mostMs`; `failures` starts at 0. The upper half is jitter, so that
 * clients do not return together.
 */
export function backoffMs(
  failures: number,
  { leastMs, mostMs }: { leastMs: number; mostMs: number },
  random: () => number,
): number {
  const full = Math.min(mostMs, leastMs * 2 ** Math.min(failures, 30));
  return full / 2 + (random() * full) / 2;
}
