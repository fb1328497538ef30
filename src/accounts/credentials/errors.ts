import { EarshotError } from "../../lib/errors.ts";

export const tooManyAttempts = (hint: string): EarshotError =>
  new EarshotError("too_many_attempts", "too many attempts to connect a platform", {
    status: 429,
    retryable: true,
    hint,
  });

export const credentialNotFound = (): EarshotError =>
  new EarshotError("credential_not_found", "credential not found", { status: 404 });
