export const latestMs = 8.64e15;

export function timeAfter(ms: number, spanMs: number): number {
  return Math.min(ms + spanMs, latestMs);
}
