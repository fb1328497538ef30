import { ApiProblem } from "../../api.ts";

const longestWaitMs = 120_000;

/**
 * How long to wait before retrying, in milliseconds; null if the error is not a rate limit or the total wait of two
 * minutes would be exceeded.
 */
export function waitForRate(fault: unknown, waitedMs: number): number | null {
  if (!(fault instanceof ApiProblem) || fault.code !== "rate_limited") return null;
  const waitMs = fault.retryAfterMs;
  return waitMs === null || waitedMs + waitMs > longestWaitMs ? null : waitMs;
}
