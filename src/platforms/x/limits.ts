import type { Headers } from "undici";
import type { Limit } from "../upstream.ts";

/** Reset in Unix seconds. Excludes an application's monthly cap. */
export function xLimit(headers: Headers): Limit | null {
  const remaining = wholeNumber(headers.get("x-rate-limit-remaining"));
  const resetSeconds = wholeNumber(headers.get("x-rate-limit-reset"));
  if (remaining === null || resetSeconds === null) return null;
  return { remaining, resetMs: resetSeconds * 1_000 };
}

/** Full-archive search: one request per second, which its headers omit. */
export const intervalMs = (bucket: string): number =>
  bucket === "GET /2/tweets/search/all" ? 1_000 : 0;

const wholeNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,12}$/.test(text) ? Number(text) : null;
