import * as oauth from "oauth4webapi";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialKind,
  CredentialTools,
  Secrets,
} from "../credential.ts";
import { credentialInvalid, credentialRefused } from "../credential-errors.ts";
import { type AccountLookupSettings, identifierField } from "./credential-account.ts";
import { authorize } from "./oauth-authorize.ts";
import { grantForRefresh, storedServer } from "./oauth-grants.ts";
import { guardedOptions, oauthErrorAt, oauthRefusal, withNonce } from "./oauth-guard.ts";
import { createProofKeys, type ProofKeys } from "./oauth-key.ts";
import { checkToken, sendWithToken, type TokenAccess } from "./send-with-token.ts";
import { storedTokens } from "./stored-tokens.ts";

/** A stolen DPoP-bound token is useless without its key. https://atproto.com/specs/oauth */
export function oauthKind(settings: AccountLookupSettings): CredentialKind {
  const keys = createProofKeys();
  // A plain-HTTP directory means a private network.
  const allowsPlainHttp = new URL(settings.plcUrl).protocol === "http:";
  const getAccess = (stored: CredentialInUse, tools: CredentialTools) =>
    makeTokenAccess(stored, { tools, keys, allowsPlainHttp });
  return {
    platform: "bluesky",
    name: "oauth",
    access: "user",
    title: "Bluesky sign-in",
    purpose:
      "Reads Bluesky as your account without an app password. You authorize access on Bluesky, for at most two weeks.",
    description:
      "Authorized by a Bluesky account in a browser, for at most two weeks; no password is needed.",
    fields: [],
    make: async () => {
      throw credentialInvalid(
        "credentials of this kind must be authorized in a browser",
        "run it in a terminal, without --secrets",
      );
    },
    authorization: {
      fields: [identifierField],
      run: async ({ identifier = "" }, tools, dialogue) =>
        await authorize(identifier, { tools, dialogue, settings, keys, allowsPlainHttp }),
    },
    test: async (stored, tools) => {
      const { host } = new URL(stored.credential.host);
      return `authorized at ${host} by ${await checkToken(stored, getAccess(stored, tools))}`;
    },
    send: async (request, stored, tools) =>
      await sendWithToken(request, stored, getAccess(stored, tools)),
  };
}

type TokenContext = { tools: CredentialTools; keys: ProofKeys; allowsPlainHttp: boolean };

function makeTokenAccess(stored: CredentialInUse, context: TokenContext): TokenAccess {
  const { subject } = stored.credential;
  return {
    tools: context.tools,
    sendWith: async (request, secrets) => await sendWith(request, secrets, context),
    isTokenRefused: ({ status }) => status === 401,
    renew: async (current) => await renew(current, subject, context),
    tokenRefusedError: () =>
      credentialRefused(`${stored.credential.host} refused the token`, reauthorizeHint),
  };
}

const reauthorizeHint = "authorize it again: earshot credentials add bluesky oauth";

async function sendWith(
  { url, headers, signal }: AuthorizedRequest,
  { accessToken = "", key = "" }: Secrets,
  { tools, keys, allowsPlainHttp }: TokenContext,
): Promise<FetchedResponse> {
  const options = guardedOptions(tools, allowsPlainHttp);
  const proof = await keys.dpopHandle(key, tools);
  try {
    await withNonce(async () =>
      oauth.protectedResourceRequest(accessToken, "GET", url, new Headers(headers), null, {
        ...options,
        DPoP: proof,
        signal,
      }),
    );
  } catch (thrown) {
    // The caller handles the challenge.
    if (!(thrown instanceof oauth.WWWAuthenticateChallengeError)) throw thrown;
  }
  const response = options.lastResponse();
  if (response === null) throw new Error("the OAuth library sent no request");
  return response;
}

async function renew(
  current: Secrets,
  subject: string | null,
  { tools, keys, allowsPlainHttp }: TokenContext,
): Promise<Secrets> {
  const { key = "", refreshToken = "" } = current;
  const options = guardedOptions(tools, allowsPlainHttp);
  const server = storedServer(current);
  const { host } = new URL(server.issuer);
  try {
    const proof = await keys.dpopHandle(key, tools);
    const grant = await grantForRefresh({ server, options, proof }, refreshToken);
    if (grant.subject !== subject)
      throw credentialRefused(`${host} renewed the tokens of another account`);
    const { accessToken, lifetimeMs } = grant;
    const tokens = { accessToken, refreshToken: grant.refreshToken ?? refreshToken };
    return { ...current, ...storedTokens(tokens, lifetimeMs, tools.now()) };
  } catch (thrown) {
    const refusal = oauthRefusal(thrown);
    if (refusal === null) throw oauthErrorAt(host, thrown, options, tools.now());
    throw credentialRefused(`${host} did not renew the tokens (${refusal})`, reauthorizeHint);
  }
}
