const secondMs = 1_000;
const minuteMs = 60 * secondMs;
const hourMs = 60 * minuteMs;

/** Delays recommended by Standard Webhooks: ten attempts in a little over three days. */
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

const jitter = 0.2;

/** Upper limit for a receiver's `Retry-After`. */
export const maxPauseMs = 24 * hourMs;

export type AttemptOutcome =
  | { kind: "delivered"; status: number }
  | { kind: "gone"; status: number }
  | { kind: "failed"; status: number | null; error: string; retryAfterMs: number | null };

/** Null if no attempts are left. `random` is in [0, 1). */
export function pauseAfter(
  failures: number,
  retryAfterMs: number | null,
  random: () => number,
): number | null {
  const baseMs = pausesMs[failures - 1];
  if (baseMs === undefined) return null;
  const pauseMs = Math.round(baseMs * (1 + jitter * random()));
  return Math.max(pauseMs, Math.min(retryAfterMs ?? 0, maxPauseMs));
}
