import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import type {
  AuthorizedRequest,
  CredentialInUse,
  CredentialTools,
  Secrets,
} from "../credential.ts";
import { credentialRefused } from "../credential-errors.ts";
import { requireInOrder } from "../request-errors.ts";
import {
  type Client,
  clientOf,
  requestTokens,
  secretsOfTokens,
  sendWith,
  type UserTokens,
} from "./tokens.ts";
import { withUsageCapLimit } from "./usage-cap.ts";

/**
 * A renewal proves the session and is not billed. Requests the owner if there is no refresh token.
 */
export async function testSession(
  apiUrl: string,
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<string> {
  const seen = stored.secrets();
  if (seen.refreshToken) {
    await renew(apiUrl, stored, seen, tools);
    return `it works: the session of ${nameOf(stored)} was renewed`;
  }
  const url = new URL("/2/users/me", apiUrl);
  const answer = await sendWith(seen.accessToken ?? "", { url }, tools);
  requireInOrder(url.host, answer);
  if (answer.status !== 200) throw ended(url.host);
  return `it works for ${nameOf(stored)}, until its access token expires`;
}

const nameOf = ({ credential }: CredentialInUse): string =>
  credential.subjectName === null ? "its user" : `@${credential.subjectName}`;

/** Tokens closer to expiry are renewed first. */
const minLeftMs = 60_000;

/** Errors: `credential_refused` if the session has ended; those of renewal and fetch. */
export async function sendUser(
  apiUrl: string,
  request: AuthorizedRequest,
  stored: CredentialInUse,
  tools: CredentialTools,
): Promise<FetchedAnswer> {
  let seen = stored.secrets();
  const expiresMs = Number(seen.expiresMs || Number.POSITIVE_INFINITY);
  if (seen.refreshToken && expiresMs - tools.now() < minLeftMs) {
    seen = await renew(apiUrl, stored, seen, tools);
  }
  const answer = await sendWith(seen.accessToken ?? "", request, tools);
  if (answer.status !== 401) return await withUsageCapLimit(answer, tools.now());
  if (!seen.refreshToken) throw ended(request.url.host);
  const fresh = await renew(apiUrl, stored, seen, tools);
  const again = await sendWith(fresh.accessToken ?? "", request, tools);
  if (again.status === 401) throw ended(request.url.host);
  return await withUsageCapLimit(again, tools.now());
}

async function renew(
  apiUrl: string,
  stored: CredentialInUse,
  seen: Secrets,
  tools: CredentialTools,
): Promise<Secrets> {
  return await stored.renew(seen, async (secrets) => {
    const client = clientOf(secrets);
    const tokens = await renewedUserTokens(apiUrl, client, secrets.refreshToken ?? "", tools);
    return secretsOfTokens(client, tokens);
  });
}

/** The old refresh token stays valid if the answer has no new one. */
export async function renewedUserTokens(
  apiUrl: string,
  client: Client,
  refreshToken: string,
  tools: CredentialTools,
): Promise<UserTokens> {
  const grant = { grant_type: "refresh_token", refresh_token: refreshToken };
  const tokens = await requestTokens(apiUrl, client, grant, tools);
  return { ...tokens, refreshToken: tokens.refreshToken || refreshToken };
}

const ended = (host: string): EarshotError =>
  credentialRefused(
    `${host} no longer accepts the user's session`,
    "authorize it again with the scope offline.access: earshot credentials add x user-token",
  );
