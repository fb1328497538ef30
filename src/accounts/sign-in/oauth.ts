import {
  type AuthorizationServer,
  allowInsecureRequests,
  authorizationCodeGrantRequest,
  ClientSecretPost,
  calculatePKCECodeChallenge,
  customFetch,
  processAuthorizationCodeResponse,
  validateAuthResponse,
} from "oauth4webapi";
import type { GuardedFetch } from "../../lib/guarded-fetch.ts";
import { oauthState, pkceCodeVerifier } from "./attempt.ts";
import type { Provider, ProviderProfile } from "./providers.ts";
import { SignInRefused } from "./refusal.ts";

export async function authorizationUrl(
  provider: Provider,
  { secret, redirectUri, scope }: { secret: string; redirectUri: string; scope: string },
): Promise<string> {
  const url = new URL(provider.authorizationEndpoint);
  url.search = new URLSearchParams({
    response_type: "code",
    client_id: provider.clientId,
    redirect_uri: redirectUri,
    scope,
    state: oauthState(secret, provider.name),
    code_challenge: await calculatePKCECodeChallenge(pkceCodeVerifier(secret, provider.name)),
    code_challenge_method: "S256",
  }).toString();
  return url.href;
}

/** Throws SignInRefused, without the provider's text. */
export async function requestAccessToken(
  provider: Provider,
  fetch: GuardedFetch,
  {
    secret,
    redirectUri,
    parameters,
  }: { secret: string; redirectUri: string; parameters: URLSearchParams },
): Promise<string> {
  const server = authorizationServer(provider, parameters.get("iss"));
  const client = { client_id: provider.clientId };
  const callbackParameters = validateParameters(() =>
    validateAuthResponse(server, client, parameters, oauthState(secret, provider.name)),
  );
  try {
    const response = await authorizationCodeGrantRequest(
      server,
      client,
      ClientSecretPost(provider.clientSecret),
      callbackParameters,
      redirectUri,
      pkceCodeVerifier(secret, provider.name),
      {
        // The operator configured the URL, and the guard checks the resolved address.
        [allowInsecureRequests]: true,
        [customFetch]: async (url: string, { method, headers, body }: RequestInit) =>
          await fetchGuarded(fetch, url, String(method), headers, body),
      },
    );
    const { access_token } = await processAuthorizationCodeResponse(server, client, response);
    return access_token;
  } catch (error) {
    throw tokenRefusal(error);
  }
}

/** Throws SignInRefused. */
export async function readProfile(
  provider: Provider,
  fetch: GuardedFetch,
  token: string,
): Promise<ProviderProfile> {
  const response = await send(fetch, provider.profileUrl, token);
  const profile = response.status === 200 ? provider.readProfile(responseJson(response)) : null;
  if (profile === null) throw new SignInRefused("provider_failed", "profile_unreadable");
  return profile;
}

/**
 * One confirmed membership suffices. Without one, an unreadable membership is an error. Throws
 * SignInRefused.
 */
export async function isMemberOfAny(
  provider: Provider,
  fetch: GuardedFetch,
  token: string,
  organizations: readonly string[],
): Promise<boolean> {
  let wasUnreadable = false;
  for (const organization of organizations) {
    const isMember = await fetchMembership(provider, fetch, token, organization);
    if (isMember === true) return true;
    wasUnreadable ||= isMember === null;
  }
  if (wasUnreadable) throw new SignInRefused("provider_failed", "membership_unreadable");
  return false;
}

async function fetchMembership(
  provider: Provider,
  fetch: GuardedFetch,
  token: string,
  organization: string,
): Promise<boolean | null> {
  try {
    const response = await send(fetch, provider.membershipUrl(organization), token);
    if (response.status === 404) return false;
    return response.status === 200 ? provider.isMember(responseJson(response), organization) : null;
  } catch (error) {
    if (error instanceof SignInRefused) return null;
    throw error;
  }
}

function authorizationServer(provider: Provider, issuer: string | null): AuthorizationServer {
  const { issuers, authorizationEndpoint, tokenEndpoint } = provider;
  return {
    issuer: issuers.find((known) => known === issuer) ?? issuers[0],
    authorization_endpoint: authorizationEndpoint,
    token_endpoint: tokenEndpoint,
  };
}

function validateParameters(validate: () => URLSearchParams): URLSearchParams {
  try {
    return validate();
  } catch (thrown) {
    const error = stringField(thrown, "error");
    if (error === "access_denied") throw new SignInRefused("denied", "access_denied");
    throw new SignInRefused("refused", error === null ? "answer_invalid" : "provider_error");
  }
}

async function fetchGuarded(
  fetch: GuardedFetch,
  url: string,
  method: string,
  headers: RequestInit["headers"],
  body: RequestInit["body"],
): Promise<Response> {
  const response = await fetch(url, {
    method: method === "POST" ? "POST" : "GET",
    headers: Object.fromEntries(new Headers(headers).entries()),
    body: String(body),
  });
  return new Response(response.text(), {
    status: response.status,
    headers: { "content-type": response.headers.get("content-type") ?? "" },
  });
}

type GuardedResponse = Awaited<ReturnType<GuardedFetch>>;

async function send(fetch: GuardedFetch, url: string, token: string): Promise<GuardedResponse> {
  try {
    return await fetch(url, {
      headers: { accept: "application/json", authorization: `Bearer ${token}` },
    });
  } catch {
    throw new SignInRefused("provider_failed", "unreachable");
  }
}

function responseJson(response: GuardedResponse): unknown {
  try {
    return response.json();
  } catch {
    return null;
  }
}

/** Errors after which the user can start again. */
const expiredCodes: readonly string[] = ["bad_verification_code", "invalid_grant"];

const knownErrors: readonly string[] = [
  ...expiredCodes,
  "incorrect_client_credentials",
  "invalid_client",
  "redirect_uri_mismatch",
  "unverified_user_email",
];

/** GitHub also returns errors with status 200. */
function tokenRefusal(thrown: unknown): SignInRefused {
  const error =
    stringField(thrown, "error") ??
    stringField(findField(findField(thrown, "cause"), "body"), "error");
  const knownError = knownErrors.find((code) => code === error);
  const reason = knownError ?? (error === null ? "token_unreadable" : "token_refused");
  const isExpired = expiredCodes.some((code) => code === error);
  return new SignInRefused(isExpired ? "expired" : "provider_failed", reason);
}

function stringField(object: unknown, name: string): string | null {
  const value = findField(object, name);
  return typeof value === "string" ? value : null;
}

function findField(object: unknown, name: string): unknown {
  return typeof object === "object" && object !== null && name in object
    ? Reflect.get(object, name)
    : undefined;
}
