import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import type { CredentialTools } from "../credential.ts";
import { fieldsOf } from "../fields.ts";
import { UpstreamLimited } from "../upstream-limited.ts";
import { withoutSecrets } from "../without-secrets.ts";
import { limitOf } from "./limit.ts";
import { type Refusal, refusalOf, xrpcUrl } from "./xrpc.ts";

/** What a login gives: two tokens, of which the second makes the next pair. */
export type LogIn = { did: string; handle: string | null; accessJwt: string; refreshJwt: string };

type LogInRequest = { host: string; tools: CredentialTools };

/**
 * Logs in with a password. A refusal of the account or the password is an answer. Errors: those of the fetch; `upstream_limited`
 * with the time from which on it can be tried again; `upstream_failed`; `answer_unreadable`.
 */
export async function createSession(
  { host, tools }: LogInRequest,
  { did, password }: { did: string; password: string },
): Promise<LogIn | Refusal> {
  const url = xrpcUrl(host, "com.atproto.server.createSession", {});
  const answer = await tools.fetch(url, {
    method: "POST",
    body: JSON.stringify({ identifier: did, password }),
    headers: { "content-type": "application/json", accept: "application/json" },
  });
  return readLogIn(url, answer, { tools, secrets: { password } });
}

/** Makes the next pair of tokens; the same errors. */
export async function refreshSession(
  { host, tools }: LogInRequest,
  refreshJwt: string,
): Promise<LogIn | Refusal> {
  const url = xrpcUrl(host, "com.atproto.server.refreshSession", {});
  const answer = await tools.fetch(url, {
    method: "POST",
    headers: { authorization: `Bearer ${refreshJwt}`, accept: "application/json" },
  });
  return readLogIn(url, answer, { tools, secrets: { refreshJwt } });
}

export const isRefusal = (outcome: LogIn | Refusal): outcome is Refusal => "status" in outcome;

const longestToken = 16_384;

type Asked = { tools: CredentialTools; secrets: Readonly<Record<string, string>> };

function readLogIn(url: URL, answer: FetchedAnswer, { tools, secrets }: Asked): LogIn | Refusal {
  const { status, headers } = answer;
  if (status === 429) {
    const nowMs = tools.now();
    throw new UpstreamLimited(
      url.host,
      limitOf(headers, status, nowMs)?.resetMs ?? nowMs + usualWaitMs,
    );
  }
  if (status !== 200) {
    if (!refusing.includes(status)) throw failed(url, `answers a login with status ${status}`);
    const { error, message } = refusalOf(answer);
    return { status, error, message: withoutSecrets(message, secrets) };
  }
  const { did, handle, accessJwt, refreshJwt } = fieldsOf(answer.json());
  if (typeof did !== "string" || !isToken(accessJwt) || !isToken(refreshJwt)) {
    throw failed(url, "answers a login with no session");
  }
  return { did, handle: typeof handle === "string" ? handle : null, accessJwt, refreshJwt };
}

/** What says no to an account or a password; anything else is a fault of the host or of what stands before it. */
const refusing: readonly number[] = [400, 401, 403];

/** How long a host is left alone that takes no more logins and does not say until when. */
const usualWaitMs = 5 * 60_000;

/** What may stand in a header. */
const isToken = (value: unknown): value is string =>
  typeof value === "string" && value.length <= longestToken && /^[\x21-\x7e]+$/.test(value);

function failed(url: URL, why: string): EarshotError {
  return new EarshotError("upstream_failed", `${url.host} ${why}`, {
    status: 502,
    retryable: true,
    hint: "try again later",
  });
}
