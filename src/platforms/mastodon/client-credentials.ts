import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type { CredentialInUse, CredentialTools, Secrets } from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { serverFailed } from "../request-errors.ts";
import { refusalReason, refusedTokenError, responseFields } from "./server-response.ts";

const timeoutMs = 30_000;
const scope = "read";
/** Out-of-band. Some servers require it even in grants without redirects. */
export const outOfBandRedirectUri = "urn:ietf:wg:oauth:2.0:oob";

export async function requestAppToken(
  host: string,
  { clientId, clientSecret, redirectUri }: Secrets,
  tools: CredentialTools,
): Promise<string | FetchedResponse> {
  const form = new URLSearchParams({
    grant_type: "client_credentials",
    client_id: clientId ?? "",
    client_secret: clientSecret ?? "",
    redirect_uri: redirectUri ?? outOfBandRedirectUri,
    scope,
  });
  const response = await tools.fetch(new URL("/oauth/token", host), {
    method: "POST",
    body: form.toString(),
    headers: {
      accept: "application/json",
      "content-type": "application/x-www-form-urlencoded",
    },
    signal: AbortSignal.timeout(timeoutMs),
  });
  const { access_token: token } = responseFields(response);
  const isToken = typeof token === "string" && /^[\x21-\x7e]{1,2000}$/.test(token);
  return response.status === 200 && isToken ? token : response;
}

export function grantError(host: string, response: FetchedResponse): EarshotError {
  const server = new URL(host).host;
  const { error } = responseFields(response);
  const reason = refusalReason(response);
  if (error === "invalid_scope") {
    return credentialInvalid(
      `client_id: the application lacks the scope ${scope}`,
      "create an application with this scope",
    );
  }
  if (response.status === 401 || error === "invalid_client") {
    return credentialInvalid(
      `client_secret: ${server} refused it with this client_id${reason}`,
      "copy both again from the application's page",
    );
  }
  if (/redirect.uri/i.test(reason)) {
    return credentialInvalid(
      `redirect_uri: ${server} issued no token${reason}`,
      "use the redirect URI that is registered for the application",
    );
  }
  return credentialInvalid(
    `host: ${server} issued no token (${response.status})${reason}`,
    "check the host and the application's settings there",
  );
}

export async function renewAppToken(
  expectedSecrets: Secrets,
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<Secrets> {
  const { host } = stored.credential;
  return await stored.renew(expectedSecrets, async (secrets) => {
    const outcome = await requestAppToken(host, secrets, tools);
    if (typeof outcome === "string") return { ...secrets, token: outcome };
    if (outcome.status >= 500 || outcome.status === 429)
      throw serverFailed(new URL(host).host, outcome.status);
    throw refusedTokenError(host, outcome.status);
  });
}
