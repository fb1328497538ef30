import * as oauth from "oauth4webapi";
import type { CredentialTools, Secrets } from "../credential.ts";
import { string } from "../fields.ts";
import { type GuardedOptions, withNonce } from "./oauth-guard.ts";
import { oauthClient, oauthScope, redirectUri } from "./oauth-key.ts";

type GrantContext = {
  server: oauth.AuthorizationServer;
  options: GuardedOptions;
  proof: oauth.DPoPHandle;
};

export async function findServer(
  pds: URL,
  options: GuardedOptions,
): Promise<oauth.AuthorizationServer> {
  const resource = await oauth.processResourceDiscoveryResponse(
    pds,
    await oauth.resourceDiscoveryRequest(pds, options),
  );
  const [serverUrl = "", ...more] = resource.authorization_servers ?? [];
  if (!URL.canParse(serverUrl) || more.length > 0) throw new Error("no authorization server");
  const issuer = new URL(serverUrl);
  return await oauth.processDiscoveryResponse(
    issuer,
    await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" }),
  );
}

export type AuthorizationAttempt = { state: string; verifier: string };

export function newAttempt({ randomBytes }: CredentialTools): AuthorizationAttempt {
  const randomText = () => Buffer.from(randomBytes(32)).toString("base64url");
  return { state: randomText(), verifier: randomText() };
}

export async function pushRequest(
  { server, options, proof }: GrantContext,
  { state, verifier }: AuthorizationAttempt,
  loginHint: string,
): Promise<URL> {
  const parameters = {
    response_type: "code",
    redirect_uri: redirectUri,
    scope: oauthScope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    login_hint: loginHint,
  };
  const { request_uri } = await withNonce(async () =>
    oauth.processPushedAuthorizationResponse(
      server,
      oauthClient,
      await oauth.pushedAuthorizationRequest(server, oauthClient, oauth.None(), parameters, {
        ...options,
        DPoP: proof,
      }),
    ),
  );
  const url = new URL(server.authorization_endpoint ?? "");
  url.searchParams.set("client_id", oauthClient.client_id);
  url.searchParams.set("request_uri", request_uri);
  return url;
}

export type TokenGrant = {
  accessToken: string;
  refreshToken: string | null;
  lifetimeMs: number | null;
  subject: string | null;
};

export async function grantForCode(
  { server, options, proof }: GrantContext,
  { state, verifier }: AuthorizationAttempt,
  redirectedUrl: URL,
): Promise<TokenGrant> {
  const parameters = oauth.validateAuthResponse(server, oauthClient, redirectedUrl, state);
  return await withNonce(async () =>
    readGrant(
      await oauth.processAuthorizationCodeResponse(
        server,
        oauthClient,
        await oauth.authorizationCodeGrantRequest(
          server,
          oauthClient,
          oauth.None(),
          parameters,
          redirectUri,
          verifier,
          { ...options, DPoP: proof },
        ),
      ),
    ),
  );
}

export async function grantForRefresh(
  { server, options, proof }: GrantContext,
  refreshToken: string,
): Promise<TokenGrant> {
  return await withNonce(async () =>
    readGrant(
      await oauth.processRefreshTokenResponse(
        server,
        oauthClient,
        await oauth.refreshTokenGrantRequest(server, oauthClient, oauth.None(), refreshToken, {
          ...options,
          DPoP: proof,
        }),
      ),
    ),
  );
}

const maxTokenLength = 16_384;
/** Headers allow only printable ASCII. */
const tokenPattern = /^[\x21-\x7e]+$/;

function readGrant(response: oauth.TokenEndpointResponse): TokenGrant {
  const { access_token, refresh_token, token_type, expires_in, scope = "" } = response;
  if (token_type !== "dpop") throw new Error("the token is not bound to a key");
  if (!scope.split(" ").includes("atproto"))
    throw new Error("the token is not for the AT Protocol");
  if (access_token.length > maxTokenLength || !tokenPattern.test(access_token)) {
    throw new Error("not a token");
  }
  return {
    accessToken: access_token,
    refreshToken: refresh_token ?? null,
    lifetimeMs: expires_in === undefined ? null : expires_in * 1_000,
    subject: string(response.sub, 2_048),
  };
}

export const grantServer = ({ issuer, token_endpoint }: oauth.AuthorizationServer): Secrets => ({
  issuer,
  tokenEndpoint: token_endpoint ?? "",
});

export const storedServer = ({
  issuer = "",
  tokenEndpoint = "",
}: Secrets): oauth.AuthorizationServer => ({
  issuer,
  token_endpoint: tokenEndpoint,
});
