import { Agent, type Headers, type Response, fetch as undiciFetch } from "undici";
import { EarshotError } from "./errors.ts";
import { fetchError, tooLarge } from "./fetch-errors.ts";
import { answerOf, type FetchedAnswer } from "./fetched-answer.ts";
import type { Guard } from "./guard.ts";
import { guardedConnector } from "./guarded-connector.ts";
import { redirectOf, type Step } from "./redirects.ts";
import { readUrl, requireWebAddress } from "./web-address.ts";

export type { FetchedAnswer } from "./fetched-answer.ts";

/**
 * The one way out for requests: whatever is asked for, each connection goes where the guard allows, each redirect is judged
 * like the first address, and neither time nor length of an answer is without an end.
 *
 * Errors: `address_refused`; `upstream_unreachable` and `upstream_timeout` (retryable); `answer_too_large`; or the reason of
 * the caller's signal. Any status is an answer, not an error.
 */
export type GuardedFetch = (url: URL | string, options?: FetchOptions) => Promise<FetchedAnswer>;

export type FetchOptions = {
  method?: "GET" | "POST";
  body?: string;
  /** Sent to the host that is asked; another host that it redirects to gets `accept` alone. */
  headers?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
  /** Most bytes of the body, decompressed. */
  maxBytes?: number;
  /** Time for everything: connecting, redirects and the whole body. */
  timeoutMs?: number;
};

/** An answer whose body is read piece by piece; whoever does not read it to its end calls `cancel`. */
export type StreamedAnswer = {
  status: number;
  headers: Headers;
  /** Decompressed pieces; throws as the fetch does. To be read once. */
  pieces: AsyncIterable<Uint8Array>;
  cancel(): Promise<void>;
};

export type GuardedClient = GuardedFetch & {
  /** For bodies too large to hold; `timeoutMs` and `maxBytes` bound the whole of it. */
  stream(url: URL | string, options?: FetchOptions): Promise<StreamedAnswer>;
  /** Ends all connections; what is under way fails. */
  close(): Promise<void>;
};

export type GuardedFetchSettings = {
  guard: Guard;
  userAgent: string;
  timeoutMs: number;
  /** Time for a connection to come about; that of everything when absent. */
  connectTimeoutMs?: number;
  maxBytes: number;
  /** 0 follows none: what redirects is an answer like any other. */
  maxRedirects: number;
  /** Connections to one host, beyond which a request waits for its turn; 8 when absent. */
  maxConnectionsPerHost?: number;
};

export function createGuardedFetch(settings: GuardedFetchSettings): GuardedClient {
  const { guard, userAgent, timeoutMs: usualMs, maxBytes: usualBytes, maxRedirects } = settings;
  const agent = new Agent({
    connect: guardedConnector(guard, settings.connectTimeoutMs ?? usualMs),
    headersTimeout: usualMs,
    bodyTimeout: usualMs,
    connections: settings.maxConnectionsPerHost ?? 8,
  });

  async function open(first: Step, options: FetchOptions): Promise<Opened> {
    const { signal, timeoutMs = usualMs } = options;
    const timeout = AbortSignal.timeout(timeoutMs);
    const ending = signal === undefined ? timeout : AbortSignal.any([signal, timeout]);
    let step = first;
    for (let redirects = 0; ; redirects += 1) {
      const { url } = step;
      const response = await send(step, ending).catch((thrown: unknown) => {
        throw faultOf(url, thrown, signal);
      });
      const location = maxRedirects === 0 ? null : response.headers.get("location");
      const next = redirectOf(step, response.status, location);
      if (next === null) return { url, response, signal };
      await response.body?.cancel();
      if (redirects === maxRedirects) throw tooManyRedirects(first.url, maxRedirects);
      step = next;
    }
  }

  async function send(step: Step, signal: AbortSignal): Promise<Response> {
    const { url, method, headers, body } = step;
    guard.lookupFor(requireWebAddress(url));
    return await undiciFetch(url, {
      method,
      headers: { "user-agent": userAgent, ...headers },
      body,
      signal,
      redirect: "manual",
      dispatcher: agent,
    });
  }

  const guardedFetch: GuardedFetch = async (url, options = {}) => {
    const { maxBytes = usualBytes } = options;
    const opened = await open(stepOf(url, options), options);
    const pieces: Uint8Array[] = [];
    for await (const piece of piecesOf(opened, maxBytes)) pieces.push(piece);
    const { response, url: from } = opened;
    return answerOf(from, response, Buffer.concat(pieces));
  };

  return Object.assign(guardedFetch, {
    stream: async (url: URL | string, options: FetchOptions = {}): Promise<StreamedAnswer> => {
      const { maxBytes = usualBytes } = options;
      const opened = await open(stepOf(url, options), options);
      const { status, headers: told, body } = opened.response;
      return {
        status,
        headers: told,
        pieces: piecesOf(opened, maxBytes),
        cancel: async () => {
          if (body !== null && !body.locked) await body.cancel().catch(() => {});
        },
      };
    },
    close: () => agent.destroy(),
  });
}

function stepOf(url: URL | string, options: FetchOptions): Step {
  const { method = "GET", headers = {}, body } = options;
  return { url: readUrl(url), method, headers, body: body ?? null };
}

type Opened = { url: URL; response: Response; signal: AbortSignal | undefined };

async function* piecesOf(
  { url, response, signal }: Opened,
  maxBytes: number,
): AsyncGenerator<Uint8Array> {
  if (response.body === null) return;
  let bytes = 0;
  try {
    // Leaving the loop early cancels the body, which ends the connection.
    for await (const piece of response.body) {
      bytes += piece.byteLength;
      if (bytes > maxBytes) throw tooLarge(url, maxBytes);
      yield piece;
    }
  } catch (thrown) {
    throw faultOf(url, thrown, signal);
  }
}

/** A caller that has given up gets its own reason. */
function faultOf(url: URL, thrown: unknown, signal: AbortSignal | undefined): unknown {
  return signal?.aborted ? signal.reason : fetchError(url, thrown);
}

function tooManyRedirects(url: URL, most: number): EarshotError {
  return new EarshotError("upstream_unreachable", `${url.host} redirects more than ${most} times`, {
    status: 502,
  });
}
