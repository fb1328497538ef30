import { ApiProblem } from "../../api.ts";

const maxWaitMs = 120_000;

/** Before retrying; null if the error is not a rate limit or the total wait would exceed two minutes. */
export function rateWaitMs(error: unknown, waitedMs: number): number | null {
  if (!(error instanceof ApiProblem) || error.code !== "rate_limited") return null;
  const waitMs = error.retryAfterMs;
  return waitMs === null || waitedMs + waitMs > maxWaitMs ? null : waitMs;
}
