import { EarshotConnectionError, EarshotError } from "./errors.ts";

export type Transport = {
  url: string;
  key: string;
  fetch: typeof globalThis.fetch;
  maxRetries: number;
};

export type ApiRequest = {
  method: "GET" | "POST" | "DELETE";
  path: string;
  body?: unknown;
  headers?: Record<string, string>;
  /** Ends the request and its retries. */
  signal: AbortSignal;
  /** False if a retry could act twice. */
  isRepeatable: boolean;
};

const firstPauseMs = 250;
const maxPauseMs = 20_000;
/** The service did nothing: even a submission can be retried. */
const retryableStatuses = new Set([408, 429, 503]);

export type ApiResponse = { status: number; text: string };

/**
 * Retries temporary errors with growing pauses, at least `Retry-After`. Errors: `EarshotError`, `EarshotConnectionError`, the
 * reason of the signal.
 */
export async function send(transport: Transport, request: ApiRequest): Promise<ApiResponse> {
  return await withRetries(transport, request, async () => {
    const response = await fetchOnce(transport, request);
    return response.ok ? { status: response.status, text: await response.text() } : response;
  });
}

/** Like `send`, but the caller reads the body and handles its errors. */
export async function open(transport: Transport, request: ApiRequest): Promise<Response> {
  return await withRetries(transport, request, () => fetchOnce(transport, request));
}

async function withRetries<Value>(
  { url, maxRetries }: Transport,
  request: ApiRequest,
  attemptOnce: () => Promise<Value | Response>,
): Promise<Value> {
  for (let attempt = 0; ; attempt += 1) {
    let minPauseMs = 0;
    let error: EarshotError | EarshotConnectionError;
    try {
      const outcome = await attemptOnce();
      if (!(outcome instanceof Response) || outcome.ok) return outcome as Value;
      minPauseMs = retryAfterMs(outcome);
      error = await responseError(outcome);
    } catch (cause) {
      error = new EarshotConnectionError(`the connection to ${url} failed`, { cause });
    }
    request.signal.throwIfAborted();
    if (attempt >= maxRetries || !canRepeat(error, request)) throw error;
    await pause(Math.max(minPauseMs, pauseMs(attempt)), request.signal);
  }
}

async function fetchOnce(
  { url, key, fetch }: Transport,
  { method, path, body, headers = {}, signal }: ApiRequest,
): Promise<Response> {
  const authorizedHeaders: Record<string, string> = { ...headers, authorization: `Bearer ${key}` };
  if (body !== undefined) authorizedHeaders["content-type"] = "application/json";
  return await fetch(`${url}${path}`, {
    method,
    headers: authorizedHeaders,
    signal,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

function canRepeat(
  error: EarshotError | EarshotConnectionError,
  { isRepeatable }: ApiRequest,
): boolean {
  if (error instanceof EarshotConnectionError) return isRepeatable;
  // The caller decides whether to submit again.
  if (error.uuid !== null) return false;
  return retryableStatuses.has(error.status) || (isRepeatable && error.status >= 500);
}

async function responseError(response: Response): Promise<EarshotError | EarshotConnectionError> {
  try {
    return new EarshotError(response.status, JSON.parse(await response.text()));
  } catch {
    return new EarshotError(response.status, {});
  }
}

/** Seconds or a date. */
function retryAfterMs(response: Response): number {
  const field = response.headers.get("retry-after");
  if (field === null) return 0;
  const seconds = Number(field);
  const ms = Number.isNaN(seconds) ? Date.parse(field) - Date.now() : seconds * 1_000;
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

/** Doubles, with jitter. */
const pauseMs = (attempt: number): number =>
  Math.min(maxPauseMs, firstPauseMs * 2 ** attempt) * (0.5 + Math.random() / 2);

export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    if (signal.aborted) abort();
    else signal.addEventListener("abort", abort, { once: true });
  });
}
