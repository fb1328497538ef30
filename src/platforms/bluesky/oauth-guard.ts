import * as oauth from "oauth4webapi";
import { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type { CredentialTools } from "../credential.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { withoutTokens } from "../without-secrets.ts";
import { blueskyLimit } from "./limit.ts";

export type GuardedOptions = {
  [oauth.customFetch]: (
    url: string,
    options: {
      method: string;
      body?: unknown;
      headers: Record<string, string>;
      signal?: AbortSignal;
    },
  ) => Promise<Response>;
  [oauth.allowInsecureRequests]: boolean;
  lastResponse(): FetchedResponse | null;
};

/** `allowsPlainHttp` is for private networks. */
export function guardedOptions(tools: CredentialTools, allowsPlainHttp: boolean): GuardedOptions {
  let last: FetchedResponse | null = null;
  return {
    [oauth.customFetch]: async (url, { method, body, headers: allHeaders, signal }) => {
      const { "user-agent": _name, ...headers } = allHeaders;
      last = await tools.fetch(new URL(url), {
        method: method === "POST" ? "POST" : "GET",
        headers,
        ...(body === undefined || body === null ? {} : { body: String(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return makeResponse(last);
    },
    [oauth.allowInsecureRequests]: allowsPlainHttp,
    lastResponse: () => last,
  };
}

const bodilessStatuses: readonly number[] = [204, 205, 304];

function makeResponse({ status, headers, body }: FetchedResponse): Response {
  // The library retains the bytes, so it gets a copy.
  const bytes = bodilessStatuses.includes(status) ? null : Uint8Array.from(body);
  return new Response(bytes, { status, headers: [...headers] });
}

/** Repeats once if the host demands its DPoP nonce, which the rejection contains. */
export async function withNonce<Result>(request: () => Promise<Result>): Promise<Result> {
  try {
    return await request();
  } catch (thrown) {
    if (!oauth.isDPoPNonceError(thrown)) throw thrown;
    return await request();
  }
}

export function oauthRefusal(thrown: unknown): string | null {
  const isRefusal =
    thrown instanceof oauth.AuthorizationResponseError ||
    (thrown instanceof oauth.ResponseBodyError && thrown.status < 500 && thrown.status !== 429);
  if (!isRefusal) return null;
  const { error, error_description: description = "" } = thrown;
  return withoutTokens(description === "" ? error : `${error}: ${description}`);
}

export function oauthErrorAt(
  host: string,
  thrown: unknown,
  { lastResponse }: GuardedOptions,
  nowMs: number,
): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  const response = lastResponse();
  const status = response?.status ?? 0;
  if (response !== null && status === 429) {
    const resetMs = blueskyLimit(response.headers, status, nowMs)?.resetMs;
    return new UpstreamLimited(host, resetMs ?? nowMs + 60_000);
  }
  const isFailure = status >= 500;
  const code = isFailure ? "upstream_failed" : "answer_unreadable";
  const problem = isFailure ? `returned ${status}` : "sent an invalid OAuth response";
  return new EarshotError(code, `${host} ${problem}`, {
    status: 502,
    retryable: isFailure,
    cause: thrown,
  });
}
