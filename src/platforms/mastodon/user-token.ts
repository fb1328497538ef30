import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  NewCredential,
} from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { secretHint } from "../hint.ts";
import { readLocalId, readQualifiedAcct } from "./account.ts";
import {
  readServerOrigin,
  releasedToken,
  requireOrigin,
  requireText,
} from "./credential-values.ts";
import {
  isOutOfScope,
  refusalReason,
  refusedTokenError,
  responseFields,
} from "./server-response.ts";

/** The token does not expire, but the user can revoke it. */
export const mastodonUserTokenKind: CredentialKind = {
  platform: "mastodon",
  name: "user-token",
  access: "user",
  title: "Mastodon access token",
  purpose:
    "Reads your home timeline and searches your server: public posts by authors who allow search.",
  description: "A user's access token: Preferences, Development, New application, scope `read`.",
  fields: [
    {
      name: "host",
      label: "Server",
      hint: "The account's server, such as mastodon.social.",
      description: "the server's host, such as mastodon.social",
      isSecret: false,
      isOptional: false,
    },
    {
      name: "token",
      label: "Access token",
      hint: "On that server: Preferences, Development, New application with the scope read, Your access token.",
      description: "the access token",
      isSecret: true,
      isOptional: false,
    },
  ],
  make,
  test,
  send,
  releasedSecrets: releasedToken,
};

const verifyPath = "/api/v1/accounts/verify_credentials";
const timeoutMs = 30_000;

async function make(
  values: Readonly<Record<string, string>>,
  tools: CredentialTools,
): Promise<NewCredential> {
  const host = readServerOrigin(values.host);
  const token = requireText(values.token, "token");
  const response = await verify(host, token, tools);
  if (response.status !== 200) throw tokenError(host, response);
  const { id, acct } = responseFields(response);
  const subject = readLocalId(id);
  const name = readQualifiedAcct(acct, new URL(host).host);
  if (subject === null || name === null) {
    throw credentialInvalid(`host: ${host} is not a Mastodon server`, "check the host");
  }
  return { host, subject, subjectName: `@${name}`, hint: secretHint(token), secrets: { token } };
}

function verify(host: string, token: string, tools: CredentialTools): Promise<FetchedResponse> {
  return tools.fetch(new URL(verifyPath, host), {
    headers: { accept: "application/json", authorization: `Bearer ${token}` },
    signal: AbortSignal.timeout(timeoutMs),
  });
}

function tokenError(host: string, response: FetchedResponse) {
  const { status } = response;
  const server = new URL(host).host;
  if (isOutOfScope(responseFields(response))) {
    return credentialInvalid(
      `token: it lacks the scope read:accounts of ${server}`,
      "create an application with the scope read, and use its access token",
    );
  }
  if (status === 401) {
    return credentialInvalid(
      `token: ${server} refused it${refusalReason(response)}`,
      "copy the access token, not the client key",
    );
  }
  if (status === 403 || status === 422) {
    return credentialInvalid(
      `token: it does not belong to an active user of ${server} (${status})`,
      "use the kind app-token for an application's token",
    );
  }
  return credentialInvalid(
    `host: ${server} returned ${status}${refusalReason(response)}`,
    "check the host",
  );
}

async function test(stored: CredentialInUse, tools: CredentialTools): Promise<string> {
  const { host, subject } = stored.credential;
  const response = await verify(host, stored.secrets().token ?? "", tools);
  if (response.status !== 200) throw refusedTokenError(host, response.status);
  const { id, acct } = responseFields(response);
  if (readLocalId(id) !== subject) throw refusedTokenError(host, response.status);
  const server = new URL(host).host;
  return `signed in at ${server} as @${readQualifiedAcct(acct, server) ?? subject}`;
}

async function send(
  { url, headers, signal }: AuthorizedRequest,
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<FetchedResponse> {
  const { host } = stored.credential;
  requireOrigin(url, host);
  const authorization = `Bearer ${stored.secrets().token ?? ""}`;
  const response = await tools.fetch(url, { headers: { ...headers, authorization }, signal });
  if (response.status === 401) throw refusedTokenError(host, response.status);
  return response;
}
