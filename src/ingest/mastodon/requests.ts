import { backoffMs } from "../../lib/backoff.ts";
import type { Clock } from "../../lib/clock.ts";
import type { FetchedResponse, GuardedFetch } from "../../lib/guarded-fetch.ts";
import { requestedPauseMs } from "../jetstream/lookup-pause.ts";

export type MastodonRequests = {
  /**
   * Returns any response except 429 and 5xx; retries those and connection errors until `signal`
   * aborts. Throws without a token.
   */
  get(path: string, query: URLSearchParams, signal: AbortSignal): Promise<FetchedResponse>;
};

export type MastodonRequestsOptions = {
  server: string;
  fetch: GuardedFetch;
  clock: Clock;
  random: () => number;
  findToken: (origin: string) => Promise<string | null>;
  settings: {
    requestsPerMinute: number;
    fetchTimeoutMs: number;
    minBackoffMs: number;
    maxBackoffMs: number;
  };
};

const maxResponseBytes = 8 * 1024 ** 2;
const reservedShare = 0.5;

export function createMastodonRequests(options: MastodonRequestsOptions): MastodonRequests {
  const { fetch, clock, settings, random } = options;
  const { host, origin } = new URL(options.server);
  const backoff = { minMs: settings.minBackoffMs, maxMs: settings.maxBackoffMs };
  let nextRequestMs = clock.elapsed();

  async function get(
    path: string,
    query: URLSearchParams,
    signal: AbortSignal,
  ): Promise<FetchedResponse> {
    const url = new URL(path, origin);
    url.search = query.toString();
    for (let failures = 0; ; failures += 1) {
      await pause(nextRequestMs - clock.elapsed(), signal);
      const response = await tryOnce(url, signal);
      const pauseMs = response === null ? 0 : pauseAfter(response, clock.now());
      const isFailed = response === null || response.status === 429 || response.status >= 500;
      const retryDelayMs = isFailed ? backoffMs(failures, backoff, random) : 0;
      nextRequestMs =
        clock.elapsed() + Math.max(60_000 / settings.requestsPerMinute, pauseMs, retryDelayMs);
      if (response !== null && !isFailed) return response;
    }
  }

  async function tryOnce(url: URL, signal: AbortSignal): Promise<FetchedResponse | null> {
    const token = await options.findToken(origin);
    if (token === null) throw new Error(`no usable user token for ${host}`);
    try {
      return await fetch(url, {
        headers: { accept: "application/json", authorization: `Bearer ${token}` },
        signal,
        timeoutMs: settings.fetchTimeoutMs,
        maxBytes: maxResponseBytes,
      });
    } catch {
      signal.throwIfAborted();
      return null;
    }
  }

  async function pause(ms: number, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (ms > 0) await clock.sleep(ms, signal);
  }

  return { get };
}

/** The pause that the server requests, or until its limit resets if half of it is used up. */
function pauseAfter({ status, headers }: FetchedResponse, nowMs: number): number {
  const limit = Number(headers.get("x-ratelimit-limit") ?? Number.NaN);
  const remaining = Number(headers.get("x-ratelimit-remaining") ?? Number.NaN);
  const isScarce = remaining < limit * reservedShare;
  if (status !== 429 && !isScarce) return 0;
  const resetMs = Date.parse(headers.get("x-ratelimit-reset") ?? "") - nowMs;
  const isKnown = resetMs > 0 && resetMs <= maxPauseMs;
  return Math.max(
    isKnown ? resetMs : 0,
    status === 429 ? (requestedPauseMs(headers, nowMs) ?? 0) : 0,
  );
}

const maxPauseMs = 15 * 60_000;
