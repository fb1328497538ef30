import type { Headers, Response } from "undici";
import { EarshotError } from "./errors.ts";
import { fetchError, tooLargeError } from "./fetch-errors.ts";
import { type FetchedResponse, fetchedResponse } from "./fetched-response.ts";
import type { Guard } from "./guard.ts";
import type { GuardedAgent } from "./guarded-agent.ts";
import { nextRedirect, type RedirectStep } from "./redirects.ts";

export type { FetchedResponse } from "./fetched-response.ts";

/**
 * Limits the time and size of a response. No HTTP status is an error. Errors: `address_refused`;
 * `upstream_unreachable`; `upstream_timeout`; `answer_too_large`; the caller's abort reason.
 */
export type GuardedFetch = (url: URL | string, options?: FetchOptions) => Promise<FetchedResponse>;

export type FetchOptions = {
  method?: "GET" | "POST" | "DELETE";
  body?: string;
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  maxBytes?: number;
  /** Includes redirects and the body. */
  timeoutMs?: number;
};

export type StreamedResponse = {
  status: number;
  headers: Headers;
  /** Decompressed; can be read once. Errors: as for `GuardedFetch`. */
  pieces: AsyncIterable<Uint8Array>;
  cancel(): Promise<void>;
};

export type GuardedClient = GuardedFetch & {
  stream(url: URL | string, options?: FetchOptions): Promise<StreamedResponse>;
  close(): Promise<void>;
};

export type GuardedFetchSettings = {
  guard: Guard;
  userAgent: string;
  timeoutMs: number;
  connectTimeoutMs?: number;
  maxBytes: number;
  maxRedirects: number;
  maxConnectionsPerHost?: number;
};

export function createGuardedFetch(settings: GuardedFetchSettings): GuardedClient {
  const {
    guard,
    userAgent,
    timeoutMs: defaultTimeoutMs,
    maxBytes: defaultMaxBytes,
    maxRedirects,
  } = settings;
  let agent: Promise<GuardedAgent> | null = null;

  /** Loaded on demand: undici takes a twentieth of the startup time. */
  async function openAgent(): Promise<GuardedAgent> {
    const { createGuardedAgent } = await import("./guarded-agent.ts");
    return createGuardedAgent({
      guard,
      timeoutMs: defaultTimeoutMs,
      connectTimeoutMs: settings.connectTimeoutMs ?? defaultTimeoutMs,
      maxConnectionsPerHost: settings.maxConnectionsPerHost ?? 8,
    });
  }

  async function open(first: RedirectStep, options: FetchOptions): Promise<OpenResponse> {
    const { signal, timeoutMs = defaultTimeoutMs } = options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const abortSignal = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let step = first;
    for (let redirects = 0; ; redirects += 1) {
      const { url } = step;
      const response = await send(step, abortSignal).catch((thrown: unknown) => {
        throw errorFrom(url, thrown, signal);
      });
      const location = maxRedirects === 0 ? null : response.headers.get("location");
      const next = nextRedirect(step, response.status, location);
      if (next === null) return { url, response, signal };
      await response.body?.cancel();
      if (redirects === maxRedirects) throw tooManyRedirects(first.url, maxRedirects);
      step = next;
    }
  }

  async function send(step: RedirectStep, signal: AbortSignal): Promise<Response> {
    const { url, method, headers, body } = step;
    guard.lookupFor(requireHttpUrl(url));
    agent ??= openAgent();
    const { fetch } = await agent;
    return await fetch(url, {
      method,
      headers: { "user-agent": userAgent, ...headers },
      body,
      signal,
      redirect: "manual",
    });
  }

  const guardedFetch: GuardedFetch = async (url, options = {}) => {
    const { maxBytes = defaultMaxBytes } = options;
    const openResponse = await open(makeStep(url, options), options);
    const pieces: Uint8Array[] = [];
    for await (const piece of readPieces(openResponse, maxBytes)) pieces.push(piece);
    const { response, url: finalUrl } = openResponse;
    return fetchedResponse(finalUrl, response, Buffer.concat(pieces));
  };

  return Object.assign(guardedFetch, {
    stream: async (url: URL | string, options: FetchOptions = {}): Promise<StreamedResponse> => {
      const { maxBytes = defaultMaxBytes } = options;
      const openResponse = await open(makeStep(url, options), options);
      const { status, headers: responseHeaders, body } = openResponse.response;
      return {
        status,
        headers: responseHeaders,
        pieces: readPieces(openResponse, maxBytes),
        cancel: async () => {
          if (body !== null && !body.locked) await body.cancel().catch(() => {});
        },
      };
    },
    close: async () => {
      agent ??= Promise.reject(new Error("the client is closed"));
      await agent.then(({ destroy }) => destroy()).catch(() => undefined);
    },
  });
}

function makeStep(url: URL | string, options: FetchOptions): RedirectStep {
  const { method = "GET", headers = {}, body } = options;
  return { url: parseUrl(url), method, headers, body: body ?? null };
}

type OpenResponse = { url: URL; response: Response; signal: AbortSignal | undefined };

async function* readPieces(
  { url, response, signal }: OpenResponse,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let bytes = 0;
  try {
    for await (const piece of response.body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLargeError(url, maxBytes);
      yield piece;
    }
  } catch (thrown) {
    throw errorFrom(url, thrown, signal);
  }
}

function errorFrom(url: URL, thrown: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : fetchError(url, thrown);
}

function tooManyRedirects(url: URL, max: number): EarshotError {
  return new EarshotError("upstream_unreachable", `${url.host} redirected more than ${max} times`, {
    status: 502,
  });
}

/** Errors: `address_refused`. */
function parseUrl(url: URL | string): URL {
  const parsed = URL.parse(String(url));
  if (parsed === null)
    throw refusedError(`${JSON.stringify(String(url).slice(0, 200))} is not a valid URL`);
  return parsed;
}

/** Errors: `address_refused` unless the URL is HTTP(S) without a user name and password. */
function requireHttpUrl(url: URL): URL {
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw refusedError(`${url.protocol} addresses are not allowed`);
  }
  if (url.username !== "" || url.password !== "") {
    throw refusedError(`the URL of ${url.host} contains a user name or password`);
  }
  return url;
}

const refusedError = (message: string): EarshotError =>
  new EarshotError("address_refused", message, { status: 502 });
