import { EarshotError } from "../../lib/errors.ts";
import type { FetchedAnswer } from "../../lib/guarded-fetch.ts";
import { fieldsOf, string } from "../fields.ts";

/** The fields of an answer's JSON; none where it is no JSON object. */
export function fieldsIn(answer: FetchedAnswer): Record<string, unknown> {
  try {
    return fieldsOf(answer.json());
  } catch {
    return {};
  }
}

/** Whether a refusal says that the thing is for signed-in users, not that the token is bad. */
export function isForUsers(answer: FetchedAnswer): boolean {
  const said = string(fieldsIn(answer).error, 300) ?? "";
  return /requires an authenticated user/i.test(said);
}

/** Whether it says that the token's scopes do not reach so far. */
export function isOutOfScope(answer: FetchedAnswer): boolean {
  return /outside the authorized scopes/i.test(string(fieldsIn(answer).error, 300) ?? "");
}

export function refusedToken(origin: string, status: number): EarshotError {
  return new EarshotError(
    "credential_refused",
    `${new URL(origin).host} takes the token no longer (status ${status})`,
    { status: 502, hint: "make a new one in the account's settings, Development, and add that" },
  );
}
