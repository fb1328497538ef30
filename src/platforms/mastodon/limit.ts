import type { Headers } from "undici";
import { parseIsoTime } from "../time.ts";
import type { Limit } from "../upstream.ts";

/** Of the bucket closest to its limit. Some servers send the reset as Unix time. */
export function mastodonLimit(headers: Headers): Limit | null {
  const remaining = headers.get("x-ratelimit-remaining");
  const reset = headers.get("x-ratelimit-reset");
  if (remaining === null || reset === null || !/^\d{1,9}$/.test(remaining)) return null;
  const resetMs = /^\d{9,11}$/.test(reset) ? Number(reset) * 1_000 : parseIsoTime(reset);
  return resetMs === null ? null : { remaining: Number(remaining), resetMs };
}
