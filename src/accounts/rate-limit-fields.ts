import type { PolicyState } from "./limits.ts";

/**
 * The header fields of draft-ietf-httpapi-ratelimit-headers: `q` calls in a window of `w` seconds; `r` are left, and more will
 * be in `t` seconds, rounded up. Lists of RFC 9651, whose strings and whole numbers here need no escaping: every answer has
 * them, and a general serializer costs more than the rest of the limits.
 */
export function rateLimitFields(policies: readonly PolicyState[]) {
  return {
    "RateLimit-Policy": policies
      .map(({ policy, limit, windowMs }) => `"${policy}";q=${limit};w=${windowMs / 1000}`)
      .join(", "),
    RateLimit: policies
      .map(
        ({ policy, remaining, growsInMs }) =>
          `"${policy}";r=${remaining};t=${Math.ceil(growsInMs / 1000)}`,
      )
      .join(", "),
  };
}
