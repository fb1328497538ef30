import type { FetchedResponse } from "../../lib/guarded-fetch.ts";

const maxPauseMs = 15 * 60_000;

/**
 * The longer of `Retry-After` (seconds or a date) and `ratelimit-reset` (Unix seconds) in a 429, at
 * most 15 minutes.
 */
export function requestedPauseMs(
  headers: FetchedResponse["headers"],
  nowMs: number,
): number | null {
  const pauses = [
    retryAfterMs(headers.get("retry-after"), nowMs),
    resetMs(headers.get("ratelimit-reset"), nowMs),
  ].filter((pause) => pause !== null);
  if (pauses.length === 0) return null;
  return Math.min(maxPauseMs, Math.max(0, ...pauses));
}

function retryAfterMs(field: string | null, nowMs: number): number | null {
  if (field === null) return null;
  if (/^\d{1,9}$/.test(field)) return Number(field) * 1000;
  const atMs = Date.parse(field);
  return Number.isNaN(atMs) ? null : atMs - nowMs;
}

function resetMs(field: string | null, nowMs: number): number | null {
  return field !== null && /^\d{1,12}$/.test(field) ? Number(field) * 1000 - nowMs : null;
}
