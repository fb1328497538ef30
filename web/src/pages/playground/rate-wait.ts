import { ApiProblem } from "../../api.ts";

const longestWaitMs = 120_000;

/**
 * How long to wait before a search is sent again that was refused with `fault`, in milliseconds; null where it is not: only a rate
 * refills by itself, and a page waits for it two minutes in all, of which `waitedMs` are over.
 */
export function waitForRate(fault: unknown, waitedMs: number): number | null {
  if (!(fault instanceof ApiProblem) || fault.code !== "rate_limited") return null;
  const waitMs = fault.retryAfterMs;
  return waitMs === null || waitedMs + waitMs > longestWaitMs ? null : waitMs;
}
