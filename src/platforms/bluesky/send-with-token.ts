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
  /** Errors: `credential_refused`; `upstream_limited`; `upstream_failed`; those of `fetch`. */
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
  const { host: origin } = stored.credential;
  if (request.url.origin !== origin)
    throw credentialRefused(`this credential is for ${origin} only`);
  const renew = async (expectedSecrets: Secrets) =>
    await stored.renew(expectedSecrets, access.renew);
  const currentSecrets = stored.secrets();
  const secrets = isUsable(currentSecrets, access.tools.now())
    ? currentSecrets
    : await renew(currentSecrets);
  const response = await access.sendWith(request, secrets);
  if (!access.isTokenRefused(response)) return response;
  const renewedSecrets = await renew(secrets);
  const retryResponse = await access.sendWith(request, renewedSecrets);
  if (access.isTokenRefused(retryResponse))
    throw access.tokenRefusedError(retryResponse, renewedSecrets);
  return retryResponse;
}

const checkTimeoutMs = 30_000;

/**
 * Returns the account for display. Errors: `credential_refused` if the server does not confirm that
 * the token belongs to the account; `upstream_failed`.
 */
export async function checkToken(stored: CredentialInUse, access: TokenAccess): Promise<string> {
  const { host: origin, subject } = stored.credential;
  const url = xrpcUrl(origin, "com.atproto.server.getSession", {});
  const headers = { accept: "application/json" };
  const signal = AbortSignal.timeout(checkTimeoutMs);
  const response = await sendWithToken({ url, headers, signal }, stored, access);
  throwIfServerFailed(url.host, response);
  const { did, handle } = asFields(response.status === 200 ? response.json() : null);
  if (did !== subject)
    throw credentialRefused(`${url.host} did not confirm that the token is for ${subject}`);
  return typeof handle === "string" && isHandle(handle)
    ? `${handle} (${subject})`
    : String(subject);
}
