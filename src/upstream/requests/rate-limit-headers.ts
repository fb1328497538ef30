import type { Headers } from "undici";
import type { Limit } from "../../platforms/upstream.ts";

/** Headers that lie are told by what no limit of a platform is like: windows are of a day at most. */
const longestWindowMs = 86_400_000;

/**
 * What the headers told of a limit, where it can be true; null else. A reset in whole seconds may have been cut down to them,
 * so that it counts a second later.
 */
export function plausibleLimit(told: Limit | null, nowMs: number): Limit | null {
  if (told === null || !Number.isFinite(told.remaining)) return null;
  const resetMs = told.resetMs % 1_000 === 0 ? told.resetMs + 1_000 : told.resetMs;
  if (!isAhead(resetMs, nowMs)) return null;
  return { remaining: Math.max(0, Math.floor(told.remaining)), resetMs };
}

/** Until when a refusal (429) asks to be left alone, Unix milliseconds; null where it does not say, or says what cannot be. */
export function retryUntilMs(headers: Headers, told: Limit | null, nowMs: number): number | null {
  const afterMs = retryAfterMs(headers.get("retry-after"), nowMs);
  if (afterMs !== null && isAhead(afterMs, nowMs)) return afterMs;
  const limit = plausibleLimit(told, nowMs);
  return limit === null || limit.remaining > 0 ? null : limit.resetMs;
}

/** A number of seconds, or a date. */
export function retryAfterMs(written: string | null, nowMs: number): number | null {
  if (written === null) return null;
  if (/^\d{1,9}$/.test(written)) return nowMs + Number(written) * 1_000;
  const atMs = Date.parse(written);
  return Number.isNaN(atMs) ? null : atMs;
}

const isAhead = (atMs: number, nowMs: number): boolean =>
  atMs > nowMs && atMs <= nowMs + longestWindowMs + 1_000;
