import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import { EarshotError } from "../../lib/errors.ts";
import type {
  FetchedResponse,
  FetchOptions,
  GuardedClient,
  StreamedResponse,
} from "../../lib/guarded-fetch.ts";

/**
 * Sends requests to each host at a fixed rate, pauses while its rate limit (`ratelimit-*`) is used
 * up, and honours `Retry-After`. Retries transient errors. Errors: `upstream_limited` and
 * `upstream_failed` (retryable); those of `GuardedFetch`. Returns other responses.
 */
export type PoliteFetch = {
  get(url: URL, options?: FetchOptions & { maxTries?: number }): Promise<FetchedResponse>;
  post(url: URL, body: unknown, options?: FetchOptions): Promise<FetchedResponse>;
  stream(url: URL, options?: FetchOptions): Promise<StreamedResponse>;
};

export type PoliteFetchRequest = {
  fetch: GuardedClient;
  clock: Clock;
  random: () => number;
  requestsPerSecond: number;
  signal?: AbortSignal;
  onWait?: (wait: { host: string; waitMs: number; reason: string }) => void;
};

type ResponseHead = { status: number; headers: { get(name: string): string | null } };
/** `nextRequestMs` is measured by `clock.elapsed()`. */
type Pace = { nextRequestMs: number };

const defaultMaxTries = 5;
const backoff = { minMs: 500, maxMs: 30_000 };
const maxWaitMs = 15 * 60_000;
/** Requests left to other clients at the same address. */
const reservedRequests = 2;
const reportedWaitMs = 1_000;

export function createPoliteFetch(request: PoliteFetchRequest): PoliteFetch {
  const { fetch, clock, random, requestsPerSecond, signal, onWait } = request;
  const paces = new Map<string, Pace>();

  async function send<Received extends ResponseHead>(
    url: URL,
    send: () => Promise<Received>,
    discard: (response: Received) => Promise<void>,
    maxTries = defaultMaxTries,
  ): Promise<Received> {
    const pace = paceFor(url.host);
    for (let failures = 0; ; failures += 1) {
      await waitForRetry(url.host, pace);
      const isLast = failures === maxTries - 1;
      const outcome = await trySend(send, isLast);
      const delayMs = backoffMs(failures, backoff, random);
      if (outcome instanceof EarshotError) {
        backOff(pace, delayMs);
        continue;
      }
      const { status, headers } = outcome;
      const isRetryable = status === 429 || (status >= 500 && status !== 501);
      backOff(pace, isRetryable ? (requestedWaitMs(headers) ?? delayMs) : exhaustedWaitMs(headers));
      if (!isRetryable) return outcome;
      await discard(outcome);
      if (isLast) throw requestFailed(url.host, status);
    }
  }

  async function trySend<Received>(
    send: () => Promise<Received>,
    isLast: boolean,
  ): Promise<Received | EarshotError> {
    try {
      return await send();
    } catch (error) {
      signal?.throwIfAborted();
      if (isLast || !(error instanceof EarshotError) || !error.retryable) throw error;
      return error;
    }
  }

  async function waitForRetry(host: string, pace: Pace): Promise<void> {
    signal?.throwIfAborted();
    const startMs = Math.max(clock.elapsed(), pace.nextRequestMs);
    pace.nextRequestMs = startMs + 1_000 / requestsPerSecond;
    const waitMs = startMs - clock.elapsed();
    if (waitMs > maxWaitMs) throw waitTooLong(host, waitMs);
    if (waitMs >= reportedWaitMs) onWait?.({ host, waitMs, reason: `pausing requests to ${host}` });
    if (waitMs > 0) await clock.sleep(waitMs, signal);
  }

  function backOff(pace: Pace, waitMs: number): void {
    pace.nextRequestMs = Math.max(pace.nextRequestMs, clock.elapsed() + waitMs);
  }

  function paceFor(host: string): Pace {
    const pace = paces.get(host) ?? { nextRequestMs: 0 };
    paces.set(host, pace);
    return pace;
  }

  function requestedWaitMs(headers: ResponseHead["headers"]): number | null {
    const retryAfter = headers.get("retry-after");
    if (retryAfter === null) return resetWaitMs(headers);
    if (/^\d{1,9}$/.test(retryAfter)) return Number(retryAfter) * 1_000;
    const atMs = Date.parse(retryAfter);
    return Number.isNaN(atMs) ? null : Math.max(0, atMs - clock.now());
  }

  function exhaustedWaitMs(headers: ResponseHead["headers"]): number {
    const remainingText = headers.get("ratelimit-remaining");
    if (remainingText === null || !/^\d{1,12}$/.test(remainingText)) return 0;
    return Number(remainingText) > reservedRequests ? 0 : (resetWaitMs(headers) ?? 0);
  }

  /** The header has a Unix time on AT Protocol hosts, seconds from now on others. */
  function resetWaitMs(headers: ResponseHead["headers"]): number | null {
    const resetText = headers.get("ratelimit-reset");
    if (resetText === null || !/^\d{1,12}$/.test(resetText)) return null;
    const seconds = Number(resetText);
    return seconds > 1e9 ? Math.max(0, seconds * 1_000 - clock.now()) : seconds * 1_000;
  }

  const withSignal = (options: FetchOptions = {}): FetchOptions =>
    signal === undefined ? options : { signal, ...options };

  return {
    get: (url, options) =>
      send(url, () => fetch(url, withSignal(options)), doNothing, options?.maxTries),
    post: (url, body, options = {}) =>
      send(
        url,
        () =>
          fetch(url, {
            ...withSignal(options),
            method: "POST",
            body: JSON.stringify(body),
            headers: { "content-type": "application/json", ...options.headers },
          }),
        doNothing,
      ),
    stream: (url, options) =>
      send(
        url,
        () => fetch.stream(url, withSignal(options)),
        (response) => response.cancel(),
      ),
  };
}

const doNothing = async (): Promise<void> => {};

function requestFailed(host: string, status: number): EarshotError {
  const code = status === 429 ? "upstream_limited" : "upstream_failed";
  return new EarshotError(code, `${host} returned ${status}`, {
    status: 502,
    retryable: true,
    hint: "retry later; the backfill resumes",
  });
}

function waitTooLong(host: string, waitMs: number): EarshotError {
  return new EarshotError(
    "upstream_limited",
    `${host} will accept its next request in ${Math.ceil(waitMs / 60_000)} minutes`,
    { status: 502, retryable: true, hint: "retry after that; the backfill resumes" },
  );
}
