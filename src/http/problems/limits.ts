import type { ProblemDefinition } from "./definition.ts";

export const limitProblems = {
  rate_limited: {
    status: 429,
    title: "Rate limit exceeded",
    retryable: true,
    cause: "The key exceeded one of its [limits](../api.md#limits), which `detail` names.",
    fix: [
      "Wait for `Retry-After` seconds. `RateLimit` on every response shows what remains.",
      "Read results with `?wait=10` instead of polling.",
    ],
    example: {
      request: "A second request within a second, with a limit of one.",
      detail: "the key exceeded its limit of requests per second",
      hint: "retry in 1 s; watch RateLimit for what remains",
    },
  },
  too_many_attempts: {
    status: 429,
    title: "Too many attempts",
    retryable: true,
    cause:
      "The account exceeded `EARSHOT_CREDENTIAL_CHECKS_PER_MINUTE`, or `EARSHOT_MAX_AUTHORIZATIONS` browser connections are open. A [node](../nodes.md) gets this with more than four open lease requests beyond its running jobs, or 20,000 requests within two minutes.",
    fix: ["Wait for `Retry-After` seconds, and finish the open attempts."],
    example: {
      request: "A third attempt within a minute, with a limit of two.",
      detail: "too many attempts by this account",
      hint: "retry in 60 s",
    },
  },
  too_many_failed_keys: {
    status: 429,
    title: "Too many invalid keys",
    retryable: true,
    cause:
      "This address sent 30 different invalid keys within a minute (`EARSHOT_FAILED_KEYS_PER_MINUTE`). All its requests are refused, even with a valid key, until a minute after the oldest of these keys was sent.",
    fix: [
      "Wait for `Retry-After` seconds, then send a valid key.",
      "Behind a proxy, clients may share one address: set `EARSHOT_TRUSTED_PROXIES`.",
    ],
    example: {
      request: "A request after 30 invalid keys.",
      detail: "too many invalid keys from this address",
      hint: "retry in 60 s with a valid key",
    },
  },
  too_many_sign_ins: {
    status: 429,
    title: "Too many sign-ins",
    retryable: true,
    cause:
      "Too many sign-ins came from this address within a minute (`EARSHOT_SIGN_INS_PER_MINUTE`). An IPv6 /64 network counts as one address.",
    fix: ["Wait for `Retry-After` seconds.", "Behind a proxy, set `EARSHOT_TRUSTED_PROXIES`."],
    example: {
      request: "A 31st sign-in from one address within a minute.",
      detail: "too many sign-ins from this address",
      hint: "retry in 60 s",
    },
  },
  header_too_large: {
    status: 431,
    title: "Header too large",
    retryable: false,
    cause: "The request line and headers exceed 16,384 bytes (`EARSHOT_MAX_HEADER_BYTES`).",
    fix: [
      "Shorten the URL, in which percent-encoding can triple the length of a query, and check for cookies that a browser or proxy adds.",
    ],
    example: {
      request: "A request with a header field of 20,000 bytes.",
      detail: "the request line and header exceed the size limit",
      hint: "shorten the URL and header fields; EARSHOT_MAX_HEADER_BYTES sets the limit",
    },
  },
} satisfies Record<string, ProblemDefinition>;
