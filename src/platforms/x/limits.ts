import type { Headers } from "undici";
import type { Limit } from "../upstream.ts";

/**
 * What the headers tell of the limit of an endpoint: `x-rate-limit-remaining`, and `x-rate-limit-reset` in Unix seconds. They
 * tell nothing of the month's bound of an application.
 */
export function limitOf(headers: Headers): Limit | null {
  const remaining = whole(headers.get("x-rate-limit-remaining"));
  const resetSeconds = whole(headers.get("x-rate-limit-reset"));
  if (remaining === null || resetSeconds === null) return null;
  return { remaining, resetMs: resetSeconds * 1_000 };
}

/** X takes one request a second of the search of everything, of which its headers tell nothing. */
export const intervalMs = (bucket: string): number =>
  bucket === "GET /2/tweets/search/all" ? 1_000 : 0;

const whole = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
