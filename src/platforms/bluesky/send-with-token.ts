import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialTools,
  Secrets,
} from "../credential.ts";
import { credentialRefused } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import { throwIfServerFailed } from "../request-errors.ts";
import { isHandle } from "./at-uri.ts";
import { isUsable } from "./stored-tokens.ts";
import { xrpcUrl } from "./xrpc.ts";

export type TokenAccess = {
  tools: CredentialTools;
  sendWith(request: AuthorizedRequest, secrets: Secrets): Promise<FetchedResponse>;
  isTokenRefused(response: FetchedResponse): boolean;
  /** Errors: `credential_refused`; those of `fetch`. */
  renew(current: Secrets): Promise<Secrets>;
  tokenRefusedError(response: FetchedResponse, secrets: Secrets): Error;
};

/**
 * Renews an expired token before sending, and a rejected one once. Sends the token only to its
 * account's server.
 */
export async function sendWithToken(
  request: AuthorizedRequest,
  stored: CredentialInUse,
  access: TokenAccess,
): Promise<FetchedResponse> {
  const { host } = stored.credential;
  if (request.url.origin !== host) throw credentialRefused(`this credential is for ${host} only`);
  const renew = async (seen: Secrets) => await stored.renew(seen, access.renew);
  const first = stored.secrets();
  const secrets = isUsable(first, access.tools.now()) ? first : await renew(first);
  const response = await access.sendWith(request, secrets);
  if (!access.isTokenRefused(response)) return response;
  const next = await renew(secrets);
  const retried = await access.sendWith(request, next);
  if (access.isTokenRefused(retried)) throw access.tokenRefusedError(retried, next);
  return retried;
}

const testTimeoutMs = 30_000;

/** Errors: `credential_refused` if the token belongs to another account. */
export async function checkToken(stored: CredentialInUse, access: TokenAccess): Promise<string> {
  const { host, subject } = stored.credential;
  const url = xrpcUrl(host, "com.atproto.server.getSession", {});
  const headers = { accept: "application/json" };
  const signal = AbortSignal.timeout(testTimeoutMs);
  const response = await sendWithToken({ url, headers, signal }, stored, access);
  throwIfServerFailed(url.host, response);
  const { did, handle } = asFields(response.status === 200 ? response.json() : null);
  if (did !== subject)
    throw credentialRefused(`${url.host} did not issue the token for ${subject}`);
  return typeof handle === "string" && isHandle(handle)
    ? `${handle} (${subject})`
    : String(subject);
}
