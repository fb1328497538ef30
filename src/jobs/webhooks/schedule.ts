/**
 * When what could not be delivered is tried again: the schedule that Standard Webhooks recommends, ten tries in a little over
 * three days.
 */
const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Pauses after the first failure, the second and so on, milliseconds. */
export const pausesMs: readonly number[] = [
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];

/** A pause grows by up to this part of it, so that what failed together does not come again together. */
const jitter = 0.2;

/** However long a receiver asks to be left alone, it is tried again after this. */
export const longestPauseMs = 24 * hourMs;

/** How a try went; `retryAfterMs` is how long the receiver asks to be left alone. */
export type TryOutcome =
  | { kind: "delivered"; status: number }
  | { kind: "gone"; status: number }
  | { kind: "failed"; status: number | null; error: string; retryAfterMs: number | null };

/**
 * How long to wait after the given number of failures, one or more; null when all tries are used. `random` gives numbers from
 * 0 to below 1.
 */
export function pauseAfter(
  failures: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  const plainMs = pausesMs[failures - 1];
  if (plainMs === undefined) return null;
  const pauseMs = Math.round(plainMs * (1 + jitter * random()));
  return Math.max(pauseMs, Math.min(retryAfterMs ?? 0, longestPauseMs));
}
