import { serializeList } from "../lib/structured-fields.ts";
import type { LimitState } from "./limiter.ts";

/**
 * The header fields of draft-ietf-httpapi-ratelimit-headers: `q` calls in a window of `w` seconds; `r` are left, and more will
 * be in `t` seconds, rounded up.
 */
export function rateLimitFields(state: LimitState) {
  return {
    "RateLimit-Policy": serializeList(
      state.map(({ policy, limit, windowMs }) => ({
        value: policy,
        parameters: { q: limit, w: windowMs / 1000 },
      })),
    ),
    RateLimit: serializeList(
      state.map(({ policy, remaining, growsInMs }) => ({
        value: policy,
        parameters: { r: remaining, t: Math.ceil(growsInMs / 1000) },
      })),
    ),
  };
}
