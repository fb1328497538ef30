import { EarshotError } from "../../lib/errors.ts";
import type { CredentialField } from "../../platforms/credential.ts";
import { credentialInvalid } from "../../platforms/credential-errors.ts";
import { atField } from "./field-values.ts";

export const tooManyAttempts = (hint: string): EarshotError =>
  new EarshotError("too_many_attempts", "too many attempts to connect a platform", {
    status: 429,
    retryable: true,
    hint,
  });

export const credentialNotFound = (): EarshotError =>
  new EarshotError("credential_not_found", "credential not found", { status: 404 });

/** Adds field pointers to errors, and removes command-line hints. */
export async function withFieldPointers<Value>(
  fields: readonly CredentialField[],
  run: () => Promise<Value>,
): Promise<Value> {
  try {
    return await run();
  } catch (thrown) {
    if (!(thrown instanceof EarshotError)) throw thrown;
    const { code, message, status, retryable } = thrown;
    if (code === "credential_invalid") throw atField(thrown, fields);
    if (code === "credential_refused") throw credentialInvalid(message);
    if (retryable)
      throw new EarshotError(code, message, { status, retryable, hint: "retry later" });
    if (code !== "too_many_credentials") throw thrown;
    throw new EarshotError(code, "the account has reached its credential limit for the platform", {
      status,
      hint: "disconnect one first",
    });
  }
}
