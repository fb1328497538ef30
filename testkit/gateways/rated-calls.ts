/** The gateway handled the call between these times. */
export type RatedCall = { sentMs: number; answeredMs: number };

/** A lower bound for the highest number of calls in any window. */
export function maxCallsWithin(calls: readonly RatedCall[], windowMs: number): number {
  const counts = calls.map(
    ({ sentMs: startMs }) =>
      calls.filter(
        ({ sentMs, answeredMs }) => sentMs >= startMs && answeredMs <= startMs + windowMs,
      ).length,
  );
  return Math.max(0, ...counts);
}
