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
import { readAccount, readServerId } from "./account.ts";
import { readServerOrigin, releasedToken, requiredText, requireOrigin } from "./given-server.ts";
import { fieldsIn, isOutOfScope, reasonIn, refusedToken } from "./server-answer.ts";

/** The token does not expire, but the user can revoke it. */
export const mastodonUserTokenKind: CredentialKind = {
  platform: "mastodon",
  name: "user-token",
  access: "user",
  title: "Mastodon access token",
  purpose:
    "Reads your home timeline and searches your server: public posts of authors who allow search.",
  meaning: "A user's access token: Preferences, Development, New application, scope `read`.",
  fields: [
    {
      name: "host",
      label: "Server",
      hint: "The server of the account, such as mastodon.social.",
      meaning: "the server's host, such as mastodon.social",
      isSecret: false,
      isOptional: false,
    },
    {
      name: "token",
      label: "Access token",
      hint: "On that server: Preferences, Development, New application with the scope read, Your access token.",
      meaning: "the access token",
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
  const token = requiredText(values.token, "token");
  const response = await verify(host, token, tools);
  if (response.status !== 200) throw tokenError(host, response);
  const { id, acct } = fieldsIn(response);
  const subject = readServerId(id);
  const name = readAccount(acct, new URL(host).host);
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
  if (isOutOfScope(fieldsIn(response))) {
    return credentialInvalid(
      `token: it lacks the scope read:accounts of ${server}`,
      "create an application with the scope read, and use its access token",
    );
  }
  if (status === 401) {
    return credentialInvalid(
      `token: ${server} refused it${reasonIn(response)}`,
      "copy the access token, not the client key",
    );
  }
  if (status === 403 || status === 422) {
    return credentialInvalid(
      `token: it does not belong to an active user of ${server} (${status})`,
      "use the kind app-token for the token of an application",
    );
  }
  return credentialInvalid(
    `host: ${server} returned ${status}${reasonIn(response)}`,
    "check the host",
  );
}

async function test(stored: CredentialInUse, tools: CredentialTools): Promise<string> {
  const { host, subject } = stored.credential;
  const response = await verify(host, stored.secrets().token ?? "", tools);
  if (response.status !== 200) throw refusedToken(host, response.status);
  const { id, acct } = fieldsIn(response);
  if (readServerId(id) !== subject) throw refusedToken(host, response.status);
  const server = new URL(host).host;
  return `signed in at ${server} as @${readAccount(acct, server) ?? subject}`;
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
  if (response.status === 401) throw refusedToken(host, response.status);
  return response;
}
