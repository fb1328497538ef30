import type { Limit } from "../../platforms/upstream.ts";

/**
 * What is known of a limit and of the requests that are under way. Times are the clock's `elapsed`, so that a step of the wall
 * clock opens or closes nothing.
 */
export type LimitState = {
  /** Of the window that lasts; null when the platform tells none. */
  window: { remaining: number; resetMs: number } | null;
  /** Whether an answer has told of the window that lasts. */
  isKnown: boolean;
  /** Requests that may be under way while it is not. */
  mostUnknown: number;
  underWay: number;
  /** Counts how often what was known came to nothing; an answer to a request of before tells nothing any more. */
  era: number;
  /** A refusal closes it. */
  closedUntilMs: number;
  /** Refusals in a row, each after the pause of the one before. */
  refusals: number;
  /** Where requests go one at a time: the least time from an answer to the next request, milliseconds; 0 where they do not. */
  intervalMs: number;
  /** The next request waits for it. */
  intervalUntilMs: number;
};

export type LimitUsage =
  | { kind: "open" }
  /** Until an answer to what is under way tells more. */
  | { kind: "unknown" }
  | { kind: "closed"; untilMs: number }
  /** The limit is open, and the request before was answered a moment ago. */
  | { kind: "paced"; untilMs: number };

export const unknownLimit = (): LimitState => ({
  window: null,
  isKnown: false,
  mostUnknown: 1,
  underWay: 0,
  era: 0,
  closedUntilMs: Number.NEGATIVE_INFINITY,
  refusals: 0,
  intervalMs: 0,
  intervalUntilMs: Number.NEGATIVE_INFINITY,
});

/** Resets that are told within this of one another are those of one window. */
const sameWindowMs = 1_500;

/** However many ask, a host that does not answer is asked no oftener at the same time. */
const mostUnknown = 64;

/** Whether one more request would be taken. Requests under way count as if the platform had not counted them yet. */
export function limitUsage(state: LimitState, nowMs: number): LimitUsage {
  if (nowMs < state.closedUntilMs) return { kind: "closed", untilMs: state.closedUntilMs };
  if (state.window !== null && nowMs >= state.window.resetMs) beginEra(state);
  if (state.isKnown && state.window !== null && state.window.remaining <= state.underWay) {
    return { kind: "closed", untilMs: state.window.resetMs };
  }
  if (state.intervalMs > 0) {
    if (state.underWay > 0) return { kind: "unknown" };
    if (nowMs < state.intervalUntilMs) return { kind: "paced", untilMs: state.intervalUntilMs };
  }
  if (state.isKnown || state.underWay < state.mostUnknown) return { kind: "open" };
  return { kind: "unknown" };
}

/** A request has ended, answered or not: the next one waits for the interval. */
export function noteEnd(state: LimitState, nowMs: number): void {
  if (state.intervalMs > 0) state.intervalUntilMs = nowMs + state.intervalMs;
}

/** What an answer told of the limit. */
export function noteAnswer(state: LimitState, era: number, told: Limit | null): void {
  if (era !== state.era) return;
  const { window } = state;
  state.refusals = 0;
  state.isKnown = true;
  if (told === null) {
    if (window !== null) window.remaining -= 1;
    return;
  }
  if (window === null || told.resetMs > window.resetMs + sameWindowMs) {
    state.window = { ...told };
    return;
  }
  // One that was overtaken tells of the window before, or of more than is left.
  if (told.resetMs < window.resetMs - sameWindowMs) return;
  window.remaining = Math.min(window.remaining, told.remaining);
  window.resetMs = Math.max(window.resetMs, told.resetMs);
}

/** A request that got no answer may count all the same. More may try together each time, lest all wait for a dead host in turn. */
export function noteSilence(state: LimitState, era: number): void {
  if (era !== state.era) return;
  if (state.window !== null) state.window.remaining -= 1;
  if (!state.isKnown) state.mostUnknown = Math.min(mostUnknown, state.mostUnknown * 2);
}

/** The platform refused for its limit and takes the next request then: one alone, as nothing is known of the window it is in. */
export function noteRefusal(state: LimitState, untilMs: number): void {
  beginEra(state);
  state.refusals += 1;
  state.closedUntilMs = Math.max(state.closedUntilMs, untilMs);
}

/** Requests go with another secret from here on: what the one before had used up tells nothing of it. */
export function noteReplacement(state: LimitState): void {
  beginEra(state);
  state.closedUntilMs = Number.NEGATIVE_INFINITY;
  state.refusals = 0;
}

function beginEra(state: LimitState): void {
  state.era += 1;
  state.window = null;
  state.isKnown = false;
  state.mostUnknown = 1;
}
