import { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type { CredentialTools } from "../credential.ts";
import { asFields } from "../fields.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { blueskyLimit } from "./limit.ts";
import { type Refusal, readRefusal, xrpcUrl } from "./xrpc.ts";

export type LoginSession = {
  did: string;
  handle: string | null;
  accessJwt: string;
  refreshJwt: string;
};

type LoginRequest = { host: string; tools: CredentialTools };

/**
 * A refusal if the host rejects the account or password. Errors: `upstream_limited`;
 * `upstream_failed`; `answer_unreadable`.
 */
export async function createSession(
  { host, tools }: LoginRequest,
  { did, password }: { did: string; password: string },
): Promise<LoginSession | Refusal> {
  const url = xrpcUrl(host, "com.atproto.server.createSession", {});
  const response = await tools.fetch(url, {
    method: "POST",
    body: JSON.stringify({ identifier: did, password }),
    headers: { "content-type": "application/json", accept: "application/json" },
  });
  return readLoginSession(url, response, { tools, secrets: { password } });
}

export async function refreshSession(
  { host, tools }: LoginRequest,
  refreshJwt: string,
): Promise<LoginSession | Refusal> {
  const url = xrpcUrl(host, "com.atproto.server.refreshSession", {});
  const response = await tools.fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${refreshJwt}`, accept: "application/json" },
  });
  return readLoginSession(url, response, { tools, secrets: { refreshJwt } });
}

export const isRefusal = (outcome: LoginSession | Refusal): outcome is Refusal =>
  "status" in outcome;

const maxTokenLength = 16_384;

type ResponseContext = { tools: CredentialTools; secrets: Readonly<Record<string, string>> };

function readLoginSession(
  url: URL,
  response: FetchedResponse,
  { tools, secrets }: ResponseContext,
): LoginSession | Refusal {
  const { status, headers } = response;
  if (status === 429) {
    const nowMs = tools.now();
    throw new UpstreamLimited(
      url.host,
      blueskyLimit(headers, status, nowMs)?.resetMs ?? nowMs + defaultWaitMs,
    );
  }
  if (status !== 200) {
    if (!refusalStatuses.includes(status))
      throw loginFailed(url, `responded to the login with ${status}`);
    const { error, message } = readRefusal(response);
    return { status, error, message: withoutSecrets(message, secrets) };
  }
  const { did, handle, accessJwt, refreshJwt } = asFields(response.json());
  if (typeof did !== "string" || !isToken(accessJwt) || !isToken(refreshJwt)) {
    throw loginFailed(url, "responded to the login without a session");
  }
  return { did, handle: typeof handle === "string" ? handle : null, accessJwt, refreshJwt };
}

/** Any other status means that the host or a proxy failed. */
const refusalStatuses: readonly number[] = [400, 401, 403];

/** The wait after a rate limit without a reset time. */
const defaultWaitMs = 5 * 60_000;

/** Headers allow only printable ASCII. */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length <= maxTokenLength && /^[\x21-\x7e]+$/.test(value);

function loginFailed(url: URL, problem: string): EarshotError {
  return new EarshotError("upstream_failed", `${url.host} ${problem}`, {
    status: 502,
    retryable: true,
    hint: "retry later",
  });
}
