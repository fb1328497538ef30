import { EarshotError } from "../lib/errors.ts";

/** Invalid input for a new credential. */
export const credentialInvalid = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_invalid", message, {
    status: 422,
    ...(hint === undefined ? {} : { hint }),
  });

/** A stored credential that was revoked or lacks permission. */
export const credentialRefused = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_refused", message, {
    status: 502,
    ...(hint === undefined ? {} : { hint }),
  });
