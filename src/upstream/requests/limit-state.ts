import type { Limit } from "../../platforms/upstream.ts";

/** Times are from `clock.elapsed()`: steps of the wall clock have no effect. */
export type RateLimitState = {
  window: { remaining: number; resetMs: number } | null;
  isKnown: boolean;
  /** Maximum pending requests before an answer reports the window. */
  maxProbes: number;
  pendingCount: number;
  /** Answers from earlier eras are ignored. */
  era: number;
  closedUntilMs: number;
  refusals: number;
  intervalMs: number;
  intervalUntilMs: number;
};

export type LimitUsage =
  | { kind: "open" }
  | { kind: "unknown" }
  | { kind: "closed"; untilMs: number }
  /** Open, but the interval since the last answer has not passed. */
  | { kind: "paced"; untilMs: number };

export const unknownLimit = (): RateLimitState => ({
  window: null,
  isKnown: false,
  maxProbes: 1,
  pendingCount: 0,
  era: 0,
  closedUntilMs: Number.NEGATIVE_INFINITY,
  refusals: 0,
  intervalMs: 0,
  intervalUntilMs: Number.NEGATIVE_INFINITY,
});

/** Resets that differ by less belong to the same window. */
const sameWindowMs = 1_500;

const probeLimit = 64;

/** Assumes that the platform has not counted pending requests. */
export function limitUsage(state: RateLimitState, nowMs: number): LimitUsage {
  if (nowMs < state.closedUntilMs) return { kind: "closed", untilMs: state.closedUntilMs };
  if (state.window !== null && nowMs >= state.window.resetMs) beginEra(state);
  if (state.isKnown && state.window !== null && state.window.remaining <= state.pendingCount) {
    return { kind: "closed", untilMs: state.window.resetMs };
  }
  if (state.intervalMs > 0) {
    if (state.pendingCount > 0) return { kind: "unknown" };
    if (nowMs < state.intervalUntilMs) return { kind: "paced", untilMs: state.intervalUntilMs };
  }
  if (state.isKnown || state.pendingCount < state.maxProbes) return { kind: "open" };
  return { kind: "unknown" };
}

export function recordEnd(state: RateLimitState, nowMs: number): void {
  if (state.intervalMs > 0) state.intervalUntilMs = nowMs + state.intervalMs;
}

export function recordAnswer(state: RateLimitState, era: number, limit: Limit | null): void {
  if (era !== state.era) return;
  const { window } = state;
  state.refusals = 0;
  state.isKnown = true;
  if (limit === null) {
    if (window !== null) window.remaining -= 1;
    return;
  }
  if (window === null || limit.resetMs > window.resetMs + sameWindowMs) {
    state.window = { ...limit };
    return;
  }
  // Out of order: an earlier window, or a higher remainder.
  if (limit.resetMs < window.resetMs - sameWindowMs) return;
  window.remaining = Math.min(window.remaining, limit.remaining);
  window.resetMs = Math.max(window.resetMs, limit.resetMs);
}

/**
 * The platform may have counted the request. Allows more concurrent requests each time, so that
 * they do not all wait for a dead host in sequence.
 */
export function recordNoResponse(state: RateLimitState, era: number): void {
  if (era !== state.era) return;
  if (state.window !== null) state.window.remaining -= 1;
  if (!state.isKnown) state.maxProbes = Math.min(probeLimit, state.maxProbes * 2);
}

/** The next window is unknown, so it allows one request. */
export function recordRefusal(state: RateLimitState, untilMs: number): void {
  beginEra(state);
  state.refusals += 1;
  state.closedUntilMs = Math.max(state.closedUntilMs, untilMs);
}

export function recordReplacement(state: RateLimitState): void {
  beginEra(state);
  state.closedUntilMs = Number.NEGATIVE_INFINITY;
  state.refusals = 0;
}

function beginEra(state: RateLimitState): void {
  state.era += 1;
  state.window = null;
  state.isKnown = false;
  state.maxProbes = 1;
}
