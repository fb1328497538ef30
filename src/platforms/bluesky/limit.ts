import type { Headers } from "undici";
import type { Limit } from "../upstream.ts";

/** Only a PDS sends these headers. Some hosts send the reset in seconds from now. */
export function blueskyLimit(headers: Headers, _status: number, nowMs: number): Limit | null {
  const remaining = readNumber(headers.get("ratelimit-remaining"));
  const reset = readNumber(headers.get("ratelimit-reset"));
  if (remaining === null || reset === null) return null;
  return { remaining, resetMs: reset > 1e9 ? reset * 1_000 : nowMs + reset * 1_000 };
}

const readNumber = (text: string | null): number | null =>
  text !== null && /^\d{1,11}$/.test(text) ? Number(text) : null;
