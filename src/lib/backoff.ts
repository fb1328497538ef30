/**
 * Exponential backoff; `failures` starts at 0. The upper half is jitter, so that clients do not
 * retry together.
 */
export function backoffMs(
  failures: number,
  { minMs, maxMs }: { minMs: number; maxMs: number },
  random: () => number,
): number {
  const fullMs = Math.min(maxMs, minMs * 2 ** Math.min(failures, 30));
  return fullMs / 2 + (random() * fullMs) / 2;
}
