import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialTools,
  Secrets,
} from "../credential.ts";
import { credentialRefused } from "../credential-errors.ts";
import { throwIfServerFailed } from "../request-errors.ts";
import {
  type Client,
  requestTokens,
  sendAuthorized,
  storedClient,
  tokenSecrets,
  type UserTokens,
} from "./tokens.ts";
import { withUsageCapLimit } from "./usage-cap.ts";

/**
 * A renewal proves that the session is valid, and is not billed. Without a refresh token, the user
 * is fetched.
 */
export async function testSession(
  apiUrl: string,
  credentialInUse: CredentialInUse,
  tools: CredentialTools,
): Promise<string> {
  const currentSecrets = credentialInUse.secrets();
  if (currentSecrets.refreshToken) {
    await renew(apiUrl, credentialInUse, currentSecrets, tools);
    return `the session of ${formatName(credentialInUse)} works and was renewed`;
  }
  const url = new URL("/2/users/me", apiUrl);
  const response = await sendAuthorized(currentSecrets.accessToken ?? "", { url }, tools);
  throwIfServerFailed(url.host, response);
  if (response.status !== 200) throw sessionEnded(url.host);
  return `the access token of ${formatName(credentialInUse)} works until it expires`;
}

const formatName = ({ credential }: CredentialInUse): string =>
  credential.subjectName === null ? "its user" : `@${credential.subjectName}`;

const renewalMarginMs = 60_000;

/** Errors: `credential_refused` if the session has ended; those of renewal and fetch. */
export async function sendUser(
  apiUrl: string,
  request: AuthorizedRequest,
  credentialInUse: CredentialInUse,
  tools: CredentialTools,
): Promise<FetchedResponse> {
  let currentSecrets = credentialInUse.secrets();
  const expiresMs = Number(currentSecrets.expiresMs || Number.POSITIVE_INFINITY);
  if (currentSecrets.refreshToken && expiresMs - tools.now() < renewalMarginMs) {
    currentSecrets = await renew(apiUrl, credentialInUse, currentSecrets, tools);
  }
  const response = await sendAuthorized(currentSecrets.accessToken ?? "", request, tools);
  if (response.status !== 401) return await withUsageCapLimit(response, tools.now());
  if (!currentSecrets.refreshToken) throw sessionEnded(request.url.host);
  const renewedSecrets = await renew(apiUrl, credentialInUse, currentSecrets, tools);
  const retryResponse = await sendAuthorized(renewedSecrets.accessToken ?? "", request, tools);
  if (retryResponse.status === 401) throw sessionEnded(request.url.host);
  return await withUsageCapLimit(retryResponse, tools.now());
}

async function renew(
  apiUrl: string,
  credentialInUse: CredentialInUse,
  currentSecrets: Secrets,
  tools: CredentialTools,
): Promise<Secrets> {
  return await credentialInUse.renew(currentSecrets, async (secrets) => {
    const client = storedClient(secrets);
    const tokens = await renewUserTokens(apiUrl, client, secrets.refreshToken ?? "", tools);
    return tokenSecrets(client, tokens);
  });
}

/** The old refresh token remains valid if there is no new one. */
export async function renewUserTokens(
  apiUrl: string,
  client: Client,
  refreshToken: string,
  tools: CredentialTools,
): Promise<UserTokens> {
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const tokens = await requestTokens(apiUrl, client, grant, tools);
  return { ...tokens, refreshToken: tokens.refreshToken || refreshToken };
}

const sessionEnded = (host: string): EarshotError =>
  credentialRefused(
    `${host} no longer accepts the user's session`,
    "authorize it again with the scope offline.access: earshot credentials add x user-token",
  );
