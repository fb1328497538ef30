import { EarshotError } from "../../lib/errors.ts";
import type { CredentialField } from "../../platforms/credential.ts";
import { credentialInvalid } from "../../platforms/credential-errors.ts";
import { atField } from "./field-values.ts";

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
    throw new EarshotError(
      code,
      "the account has reached its limit of credentials for the platform",
      {
        status,
        hint: "disconnect one first",
      },
    );
  }
}
