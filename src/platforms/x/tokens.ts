import { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import type { CredentialTools, Secrets } from "../credential.ts";
import { credentialRefused } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import { problemDetail } from "./request.ts";

export type Client = { id: string; secret: string | null };

/** `expiresMs` is decimal, or empty if unknown. */
export type UserTokens = { accessToken: string; refreshToken: string; expiresMs: string };

/** Errors: `credential_refused` for a rejected code or refresh token; `upstream_limited`; `upstream_failed`; `answer_unreadable`. */
export async function requestTokens(
  apiUrl: string,
  client: Client,
  grant: Readonly<Record<string, string>>,
  tools: CredentialTools,
): Promise<UserTokens> {
  const url = new URL("/2/oauth2/token", apiUrl);
  const response = await tools.fetch(url, {
    method: "POST",
    headers: {
      "content-type": "application/x-www-form-urlencoded",
      accept: "application/json",
      ...(client.secret === null
        ? {}
        : { authorization: basicAuthorization(client.id, client.secret) }),
    },
    body: new URLSearchParams({
      ...grant,
      ...(client.secret === null ? { client_id: client.id } : {}),
    }).toString(),
  });
  if (response.status === 200) return responseTokens(response, url, tools.now());
  throw refusalError(response, url);
}

const basicAuthorization = (id: string, secret: string): string =>
  `Basic ${Buffer.from(`${encodeURIComponent(id)}:${encodeURIComponent(secret)}`).toString("base64")}`;

function responseTokens(response: FetchedResponse, url: URL, nowMs: number): UserTokens {
  const fields = asFields(response.json());
  if (!isToken(fields.access_token)) {
    throw new EarshotError("answer_unreadable", `${url.host} returned no access token`, {
      status: 502,
    });
  }
  const seconds = fields.expires_in;
  const hasLifetime = typeof seconds === "number" && seconds > 0 && seconds < 31_536_000;
  return {
    accessToken: fields.access_token,
    refreshToken: isToken(fields.refresh_token) ? fields.refresh_token : "",
    expiresMs: hasLifetime ? String(Math.floor(nowMs + seconds * 1_000)) : "",
  };
}

/** Headers allow only printable ASCII. */
export const isToken = (value: unknown): value is string =>
  typeof value === "string" && /^[\x21-\x7e]{8,4096}$/.test(value);

function refusalError(response: FetchedResponse, url: URL): EarshotError {
  const { status } = response;
  if (status === 429) {
    return new EarshotError(
      "upstream_limited",
      `${url.host}'s rate limit for tokens has been reached`,
      {
        status: 502,
        retryable: true,
      },
    );
  }
  if (status >= 500) {
    return new EarshotError("upstream_failed", `${url.host} issued no tokens (${status})`, {
      status: 502,
      retryable: true,
    });
  }
  return credentialRefused(
    `${url.host} issued no tokens (${status}${errorCodeSuffix(response)})`,
    "authorize the application again: earshot credentials add x user-token",
  );
}

/** Contains only the error code, because X's description may echo what was sent. */
function errorCodeSuffix(response: FetchedResponse): string {
  const { error } = asFields(parsedJson(response));
  return typeof error === "string" && /^[a-z_]{1,40}$/.test(error) ? `, ${error}` : "";
}

export function parsedJson(response: FetchedResponse): unknown {
  try {
    return response.json();
  } catch {
    return null;
  }
}

export function tokenSecrets(client: Client, tokens: UserTokens): Secrets {
  return { clientId: client.id, clientSecret: client.secret ?? "", ...tokens };
}

export function storedClient(secrets: Secrets): Client {
  return { id: secrets.clientId ?? "", secret: secrets.clientSecret || null };
}

export async function sendAuthorized(
  token: string,
  request: {
    url: URL;
    headers?: Readonly<Record<string, string>>;
    signal?: AbortSignal;
  },
  tools: CredentialTools,
): Promise<FetchedResponse> {
  const { url, headers = {}, signal } = request;
  return await tools.fetch(url, {
    headers: { accept: "application/json", ...headers, authorization: `Bearer ${token}` },
    ...(signal === undefined ? {} : { signal }),
  });
}

export function refusalText(response: FetchedResponse, url: URL): string {
  return `${url.host} returned ${response.status}: ${problemDetail(parsedJson(response))}`;
}
