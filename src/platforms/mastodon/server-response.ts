import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedResponse } from "../../lib/guarded-fetch.ts";
import { credentialRefused } from "../credential-errors.ts";
import { asFields } from "../fields.ts";
import { serverFailed } from "../request-errors.ts";
import { withoutTokens } from "../without-secrets.ts";

export function responseFields(response: FetchedResponse): Record<string, unknown> {
  try {
    return asFields(response.json());
  } catch {
    return {};
  }
}

const responseError = (json: unknown): string => withoutTokens(asFields(json).error);

export function refusalReason(response: FetchedResponse): string {
  const { error, error_description: description } = responseFields(response);
  const reason = withoutTokens(description) || withoutTokens(error);
  return reason === "" ? "" : `: ${reason}`;
}

/** The resource is for users only; the token may be valid. */
export const requiresUserToken = (json: unknown): boolean =>
  /requires an authenticated user/i.test(responseError(json));

export const isOutOfScope = (json: unknown): boolean =>
  /outside the authorized scopes/i.test(responseError(json));

/** A failing server says nothing about the token. */
export function refusedTokenError(origin: string, status: number): EarshotError {
  if (status === 429 || status >= 500) return serverFailed(new URL(origin).host, status);
  return credentialRefused(
    `${new URL(origin).host} no longer accepts the token (${status})`,
    "create a new one in the account's settings, Development, and add it",
  );
}
