import { EarshotError } from "../../lib/errors.ts";

/** More attempts to connect a platform than are taken at a time. */
export const tooManyAttempts = (hint: string): EarshotError =>
  new EarshotError("too_many_attempts", "too many attempts to connect a platform", {
    status: 429,
    retryable: true,
    hint,
  });

/** A credential that is not there, or is not the account's. */
export const credentialNotFound = (): EarshotError =>
  new EarshotError("credential_not_found", "there is no such credential", { status: 404 });
