import type { Headers } from "undici";
import type { Limit } from "../../platforms/upstream.ts";

/** Longer ones are ignored as implausible. */
const longestWindowMs = 86_400_000;

/** An answer can arrive after the end of its window. */
const slowestAnswerMs = 60_000;

/** Null if implausible. A reset in whole seconds may be rounded down. */
export function plausibleLimit(reported: Limit | null, nowMs: number): Limit | null {
  if (reported === null || !Number.isFinite(reported.remaining)) return null;
  const resetMs = reported.resetMs % 1_000 === 0 ? reported.resetMs + 1_000 : reported.resetMs;
  if (!isPlausible(resetMs, nowMs)) return null;
  return { remaining: Math.max(0, Math.floor(reported.remaining)), resetMs };
}

/** Unix milliseconds; null if missing or implausible. */
export function retryUntilMs(
  headers: Headers,
  reported: Limit | null,
  nowMs: number,
): number | null {
  const afterMs = retryAfterMs(headers.get("retry-after"), nowMs);
  if (afterMs !== null && afterMs > nowMs && isPlausible(afterMs, nowMs)) return afterMs;
  const limit = plausibleLimit(reported, nowMs);
  if (limit === null || limit.remaining > 0 || limit.resetMs <= nowMs) return null;
  return limit.resetMs;
}

export function retryAfterMs(field: string | null, nowMs: number): number | null {
  if (field === null) return null;
  if (/^\d{1,9}$/.test(field)) return nowMs + Number(field) * 1_000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? null : atMs;
}

const isPlausible = (atMs: number, nowMs: number): boolean =>
  atMs > nowMs - slowestAnswerMs && atMs <= nowMs + longestWindowMs + 1_000;
