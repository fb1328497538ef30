import type { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import { credentialRefused } from "../credential-errors.ts";
import { fieldsOf } from "../fields.ts";
import { failedAt } from "../request-errors.ts";
import { withoutTokens } from "../without-tokens.ts";

/** The fields of an answer's JSON; none where it is no JSON object. */
export function fieldsIn(answer: FetchedAnswer): Record<string, unknown> {
  try {
    return fieldsOf(answer.json());
  } catch {
    return {};
  }
}

/** Why a server refuses, as its JSON says: short, and without what may be secret. */
const saidIn = (json: unknown): string => withoutTokens(fieldsOf(json).error);

/** The reason that a refusal gives, after a colon; empty where it gives none. */
export function reasonIn(answer: FetchedAnswer): string {
  const { error, error_description: described } = fieldsIn(answer);
  const reason = withoutTokens(described) || withoutTokens(error);
  return reason === "" ? "" : `: ${reason}`;
}

/** Whether a refusal says that the thing is for signed-in users, not that the token is bad. */
export const isForUsers = (json: unknown): boolean =>
  /requires an authenticated user/i.test(saidIn(json));

/** Whether it says that the token's scopes do not reach so far. */
export const isOutOfScope = (json: unknown): boolean =>
  /outside the authorized scopes/i.test(saidIn(json));

/** A refusal of the token; a server that is busy or out of order says nothing of the token. */
export function refusedToken(origin: string, status: number): EarshotError {
  if (status === 429 || status >= 500) return failedAt(new URL(origin).host, status);
  return credentialRefused(
    `${new URL(origin).host} takes the token no longer (status ${status})`,
    "make a new one in the account's settings, Development, and add that",
  );
}
