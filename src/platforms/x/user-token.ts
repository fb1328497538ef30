import { EarshotError } from "../../lib/errors.ts";
import type {
  CredentialField,
  CredentialKind,
  CredentialTools,
  NewCredential,
} from "../credential.ts";
import { credentialInvalid } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import { secretHint } from "../hint.ts";
import { throwIfServerFailed } from "../request-errors.ts";
import { authorizeUser } from "./authorize.ts";
import { readIdText, readUsername } from "./json.ts";
import {
  type Client,
  isToken,
  parsedJson,
  refusalText,
  sendAuthorized,
  tokenSecrets,
  type UserTokens,
} from "./tokens.ts";
import { renewUserTokens, sendUser, testSession } from "./user-session.ts";

const clientId: CredentialField = {
  name: "client_id",
  label: "Client ID",
  hint: "At console.x.com: your application, Keys and tokens, OAuth 2.0.",
  description: "the application's client ID (OAuth 2.0)",
  isSecret: false,
  isOptional: false,
};
const clientSecret: CredentialField = {
  name: "client_secret",
  label: "Client secret",
  hint: "Empty for a public client.",
  description: "its client secret; empty for a public client",
  isSecret: true,
  isOptional: true,
};
const accessToken: CredentialField = {
  name: "access_token",
  label: "Access token",
  hint: "Optional with a refresh token.",
  description: "the user's access token; not needed with a refresh token",
  isSecret: true,
  isOptional: true,
};
const refreshToken: CredentialField = {
  name: "refresh_token",
  label: "Refresh token",
  hint: "Without one, the credential expires after two hours.",
  description: "the user's refresh token; without one, the credential expires after two hours",
  isSecret: true,
  isOptional: true,
};
const redirectUri: CredentialField = {
  name: "redirect_uri",
  label: "Callback URL",
  hint: "As registered for the application, such as http://127.0.0.1/callback. Nothing needs to listen there.",
  description: "a callback URL that is registered for the application",
  isSecret: false,
  isOptional: false,
};

/** An access token lasts two hours; a refresh token one use. */
export function xUserTokenKind(apiUrl: string): CredentialKind {
  return {
    platform: "x",
    name: "user-token",
    access: "user",
    title: "X, OAuth 2.0",
    purpose:
      "Reads X as your account, with your home timeline and whole posts. X bills reads to the application's owner.",
    description:
      "A user's authorization of an application (OAuth 2.0), with the scopes tweet.read, users.read, follows.read, space.read and offline.access. X bills one user read when it is added.",
    fields: [clientId, clientSecret, accessToken, refreshToken],
    make: async (values, tools) => await makeFromFields(apiUrl, values, tools),
    authorization: {
      fields: [clientId, clientSecret, redirectUri],
      run: async (values, tools, dialogue) => {
        const { client, tokens } = await authorizeUser(apiUrl, values, tools, dialogue);
        return await makeFromTokens(apiUrl, client, tokens, tools);
      },
    },
    test: async (credentialInUse, tools) => await testSession(apiUrl, credentialInUse, tools),
    send: async (request, credentialInUse, tools) =>
      await sendUser(apiUrl, request, credentialInUse, tools),
  };
}

async function makeFromFields(
  apiUrl: string,
  values: Readonly<Record<string, string>>,
  tools: CredentialTools,
): Promise<NewCredential> {
  const { client_id: id = "", client_secret: secret = "" } = values;
  const { access_token: accessToken = "", refresh_token: refreshToken = "" } = values;
  if (!isToken(id)) throw invalid("client_id", "empty or malformed");
  const client: Client = { id, secret: secret || null };
  if (refreshToken !== "") {
    if (!isToken(refreshToken)) throw invalid("refresh_token", "malformed");
    // The given access token may be hours old, but the expiry of a new one is known.
    const tokens = await renewUserTokens(apiUrl, client, refreshToken, tools).catch(
      (error: unknown) => {
        throw asInvalid(error);
      },
    );
    return await makeFromTokens(apiUrl, client, tokens, tools);
  }
  if (!isToken(accessToken)) {
    throw invalid("access_token", "an access token or a refresh token is required");
  }
  return await makeFromTokens(
    apiUrl,
    client,
    { accessToken, refreshToken: "", expiresMs: "" },
    tools,
  );
}

async function makeFromTokens(
  apiUrl: string,
  client: Client,
  tokens: UserTokens,
  tools: CredentialTools,
): Promise<NewCredential> {
  const url = new URL("/2/users/me", apiUrl);
  const response = await sendAuthorized(tokens.accessToken, { url }, tools);
  throwIfServerFailed(url.host, response);
  const { id, username } = asFields(asFields(parsedJson(response)).data);
  const subject = readIdText(id);
  if (response.status !== 200 || subject === null) {
    throw invalid("access_token", refusalText(response, url));
  }
  return {
    host: url.origin,
    subject,
    subjectName: readUsername(username),
    hint: secretHint(tokens.accessToken),
    secrets: tokenSecrets(client, tokens),
  };
}

const invalid = (field: string, problem: string): EarshotError =>
  credentialInvalid(`${field}: ${problem}`);

function asInvalid(error: unknown): unknown {
  if (!(error instanceof EarshotError) || error.code !== "credential_refused") return error;
  return invalid("refresh_token", error.message);
}
