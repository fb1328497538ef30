import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  NewCredential,
  Secrets,
} from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { secretHint } from "../hint.ts";
import {
  grantError,
  outOfBandRedirectUri,
  renewAppToken,
  requestAppToken,
} from "./client-credentials.ts";
import {
  readServerOrigin,
  releasedToken,
  requireOrigin,
  requireText,
} from "./credential-values.ts";
import {
  refusalReason,
  refusedTokenError,
  requiresUserToken,
  responseFields,
} from "./server-response.ts";

/** The client-credentials token is used until it is rejected. */
export const mastodonAppTokenKind: CredentialKind = {
  platform: "mastodon",
  name: "app-token",
  access: "app",
  title: "Mastodon application",
  purpose: "Reads public data of your server, as an application without an account.",
  description:
    "A Mastodon server's application, which reads public data: Preferences, Development, New application, scope `read`.",
  fields: [
    {
      name: "host",
      label: "Server",
      hint: "The application's server, such as mastodon.social.",
      description: "the server's host, such as mastodon.social",
      isSecret: false,
      isOptional: false,
    },
    {
      name: "client_id",
      label: "Client key",
      hint: "On that server: Preferences, Development, New application with the scope read.",
      description: "the client key",
      isSecret: false,
      isOptional: false,
    },
    {
      name: "client_secret",
      label: "Client secret",
      description: "the client secret",
      isSecret: true,
      isOptional: false,
    },
    {
      name: "redirect_uri",
      label: "Redirect URI",
      hint: `As registered for the application; default: ${outOfBandRedirectUri}.`,
      description: `the application's redirect URI, ${outOfBandRedirectUri} by default; GoToSocial checks it`,
      isSecret: false,
      isOptional: true,
    },
  ],
  make,
  test,
  send,
  releasedSecrets: releasedToken,
};

const timeoutMs = 30_000;

async function make(
  values: Readonly<Record<string, string>>,
  tools: CredentialTools,
): Promise<NewCredential> {
  const host = readServerOrigin(values.host);
  const clientId = requireText(values.client_id, "client_id");
  const clientSecret = requireText(values.client_secret, "client_secret");
  const redirectUri = values.redirect_uri?.trim();
  const application = { clientId, clientSecret, ...(redirectUri ? { redirectUri } : {}) };
  const outcome = await requestAppToken(host, application, tools);
  if (typeof outcome !== "string") throw grantError(host, outcome);
  const response = await verify(host, outcome, tools);
  if (response.status !== 200) {
    throw credentialInvalid(
      `host: ${new URL(host).host} refused the token that it issued (${response.status})${refusalReason(response)}`,
      "check the application in its settings",
    );
  }
  const { name } = responseFields(response);
  return {
    host,
    subject: null,
    subjectName: typeof name === "string" ? name.slice(0, 200) : null,
    hint: secretHint(clientSecret),
    secrets: { ...application, token: outcome },
  };
}

function verify(host: string, token: string, tools: CredentialTools): Promise<FetchedResponse> {
  return tools.fetch(new URL("/api/v1/apps/verify_credentials", host), {
    headers: { accept: "application/json", authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
}

async function test(stored: CredentialInUse, tools: CredentialTools): Promise<string> {
  const { host } = stored.credential;
  const url = new URL("/api/v1/apps/verify_credentials", host);
  const signal = AbortSignal.timeout(timeoutMs);
  const response = await send({ url, headers: {}, signal }, stored, tools);
  if (response.status !== 200) throw refusedTokenError(host, response.status);
  return `${new URL(host).host} accepts the application's token`;
}

async function send(
  request: AuthorizedRequest,
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<FetchedResponse> {
  const { host } = stored.credential;
  requireOrigin(request.url, host);
  const secrets = stored.secrets();
  const response = await sendWith(request, secrets, tools);
  if (response.status !== 401) return response;
  // Some servers reject a valid application token with 401 if a resource is for users only.
  if (requiresUserToken(responseFields(response))) return { ...response, status: 403 };
  const retryResponse = await sendWith(request, await renewAppToken(secrets, stored, tools), tools);
  if (retryResponse.status === 401) throw refusedTokenError(host, retryResponse.status);
  return retryResponse;
}

function sendWith(
  { url, headers, signal }: AuthorizedRequest,
  { token }: Secrets,
  tools: CredentialTools,
): Promise<FetchedResponse> {
  const authorization = `Bearer ${token ?? ""}`;
  return tools.fetch(url, { headers: { ...headers, authorization }, signal });
}
