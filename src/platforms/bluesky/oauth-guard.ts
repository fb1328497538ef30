import * as oauth from "oauth4webapi";
import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import type { CredentialTools } from "../credential.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { withoutTokens } from "../without-tokens.ts";
import { limitOf } from "./limit.ts";

/** How the library asks: through the guarded fetch; `last` is the answer that it was given last. */
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
  last(): FetchedAnswer | null;
};

/** `isPlain`: whether hosts may be asked that do not encrypt, as in a network of one's own. */
export function throughGuard(tools: CredentialTools, isPlain: boolean): GuardedOptions {
  let last: FetchedAnswer | null = null;
  return {
    [oauth.customFetch]: async (url, { method, body, headers: given, signal }) => {
      // The library names itself there; who asks is this program.
      const { "user-agent": _name, ...headers } = given;
      last = await tools.fetch(new URL(url), {
        method: method === "POST" ? "POST" : "GET",
        headers,
        ...(body === undefined || body === null ? {} : { body: String(body) }),
        ...(signal === undefined ? {} : { signal }),
      });
      return responseOf(last);
    },
    [oauth.allowInsecureRequests]: isPlain,
    last: () => last,
  };
}

const bodiless: readonly number[] = [204, 205, 304];

function responseOf({ status, headers, body }: FetchedAnswer): Response {
  // The library closes over bytes that must not be shared with others.
  const bytes = bodiless.includes(status) ? null : Uint8Array.from(body);
  return new Response(bytes, { status, headers: [...headers] });
}

/** A host may want its own nonce in the proof; it tells it with the refusal, and the same again is then right. */
export async function withNonce<Told>(ask: () => Promise<Told>): Promise<Told> {
  try {
    return await ask();
  } catch (thrown) {
    if (!oauth.isDPoPNonceError(thrown)) throw thrown;
    return await ask();
  }
}

/** What an authorization server refuses with, by the names of OAuth; null for any other fault. */
export function refusalIn(thrown: unknown): string | null {
  const isRefusal =
    thrown instanceof oauth.AuthorizationResponseError ||
    (thrown instanceof oauth.ResponseBodyError && thrown.status < 500 && thrown.status !== 429);
  if (!isRefusal) return null;
  const { error, error_description: description = "" } = thrown;
  return withoutTokens(description === "" ? error : `${error}: ${description}`);
}

/** A fault of the server or of what it says, as an `EarshotError`. */
export function oauthErrorAt(
  host: string,
  thrown: unknown,
  { last }: GuardedOptions,
  nowMs: number,
): EarshotError {
  if (thrown instanceof EarshotError) return thrown;
  const answer = last();
  const status = answer?.status ?? 0;
  if (answer !== null && status === 429) {
    const resetMs = limitOf(answer.headers, status, nowMs)?.resetMs;
    return new UpstreamLimited(host, resetMs ?? nowMs + 60_000);
  }
  const isFailure = status >= 500;
  const code = isFailure ? "upstream_failed" : "answer_unreadable";
  const why = isFailure ? `answers with status ${status}` : "answers otherwise than OAuth has it";
  return new EarshotError(code, `${host} ${why}`, {
    status: 502,
    retryable: isFailure,
    cause: thrown,
  });
}
