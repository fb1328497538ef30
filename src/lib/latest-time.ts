/** No time is later: the end of what a date can hold. */
export const latestMs = 8.64e15;

/** A time after another one, however long the span is. */
export function timeAfter(ms: number, spanMs: number): number {
  return Math.min(ms + spanMs, latestMs);
}
