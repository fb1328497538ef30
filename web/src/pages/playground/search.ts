import { ApiProblem, type RemainingRates, remainingRates, request } from "../../api.ts";
import type { JobStateName } from "../../components/state.tsx";
import type { CountsAnswer, SearchAnswer } from "./answer.ts";
import type { CountsWindow } from "./counts.ts";
import { makeSubmission, type Request } from "./search-request.ts";

export type Phase =
  | { kind: "sent" }
  | { kind: "running"; uuid: string; state: JobStateName }
  /** Retried automatically when the rate limit resets. */
  | { kind: "waiting"; untilMs: number };

/** Repeats a search without running it again, for example in another format. */
export type RepeatedRequest = { path: string; body: object; key: string };

export type SearchOutcome = {
  answer: SearchAnswer;
  elapsedMs: number;
  rates: RemainingRates;
  repeat: RepeatedRequest;
};

const firstWaitSeconds = 1;
const nextWaitSeconds = 5;

/**
 * Submits a search and polls it with one Idempotency-Key, so it remains one job and counts once.
 * Rate limit waits are excluded from the elapsed time. Errors: `ApiProblem`; the reason of
 * `signal`.
 */
export async function runSearch(
  searchRequest: Request,
  cursor: string | null,
  signal: AbortSignal,
  onPhase: (phase: Phase) => void,
): Promise<SearchOutcome> {
  const startMs = performance.now();
  const { path, body } = makeSubmission(searchRequest);
  const parameters = cursor === null ? body.arguments : { ...body.arguments, next_cursor: cursor };
  const key = randomKey();
  const headers = { "idempotency-key": key };
  const repeat = { path, body: { ...body, arguments: parameters }, key };
  let wait = firstWaitSeconds;
  let waitedMs = 0;
  let rates: RemainingRates | null = null;
  for (;;) {
    try {
      const response = await request(path, {
        method: "POST",
        body: { ...body, arguments: parameters, wait },
        headers,
        signal,
      });
      rates ??= remainingRates(response);
      if (response.status !== 202) {
        const answer: SearchAnswer = await response.json();
        return { answer, rates, repeat, elapsedMs: performance.now() - startMs - waitedMs };
      }
      const { uuid, status }: { uuid: string; status: JobStateName } = await response.json();
      onPhase({ kind: "running", uuid, state: status });
      wait = nextWaitSeconds;
    } catch (error) {
      const waitMs = rateWaitMs(error, waitedMs);
      if (waitMs === null) throw error;
      const waitingSinceMs = performance.now();
      onPhase({ kind: "waiting", untilMs: Date.now() + waitMs });
      await sleep(waitMs, signal);
      waitedMs += performance.now() - waitingSinceMs;
      onPhase({ kind: "sent" });
    }
  }
}

/** Uses one search. Errors: `ApiProblem`; the reason of `signal`. */
export async function countPosts(
  { query, platform }: Request,
  window: CountsWindow,
  signal: AbortSignal,
): Promise<{ counts: CountsAnswer; rates: RemainingRates }> {
  const parameters = new URLSearchParams({
    query,
    granularity: window.granularity,
    start_time: new Date(window.fromMs).toISOString(),
    end_time: new Date(window.toMs).toISOString(),
  });
  const response = await request(`/v1/search/${platform}/counts?${parameters}`, { signal });
  return { counts: await response.json(), rates: remainingRates(response) };
}

export function problemFrom(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const message = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ code: "unexpected", status: 0, message });
}

function randomKey(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", stop);
      resolve();
    }, ms);
    signal.addEventListener("abort", stop, { once: true });
  });
}

const maxWaitMs = 120_000;

/**
 * Wait before a retry; null if the error is not a rate limit or the total would exceed two minutes.
 */
function rateWaitMs(error: unknown, waitedMs: number): number | null {
  if (!(error instanceof ApiProblem) || error.code !== "rate_limited") return null;
  const waitMs = error.retryAfterMs;
  return waitMs === null || waitedMs + waitMs > maxWaitMs ? null : waitMs;
}
