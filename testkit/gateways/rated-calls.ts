/** Calls of one key that were let through, each between the two times at which its client sent it and had its answer. */
export type RatedCall = { sentMs: number; answeredMs: number };

/**
 * The most calls that certainly fell within a window, whatever their exact times were: a bound from below, so that exceeding the
 * limit is certain.
 */
export function mostWithin(calls: readonly RatedCall[], windowMs: number): number {
  const counts = calls.map(
    ({ sentMs: startMs }) =>
      calls.filter(
        ({ sentMs, answeredMs }) => sentMs >= startMs && answeredMs <= startMs + windowMs,
      ).length,
  );
  return Math.max(0, ...counts);
}
