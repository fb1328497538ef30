/** Limit of `Date`. */
export const latestMs = 8.64e15;

/** Clamped to `latestMs`. */
export function timeAfter(ms: number, spanMs: number): number {
  return Math.min(ms + spanMs, latestMs);
}
