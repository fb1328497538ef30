import type { PolicyState } from "./limits.ts";

/**
 * draft-ietf-httpapi-ratelimit-headers. A general RFC 9651 serialiser would cost more than the
 * limits.
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
