import { EarshotError } from "../lib/errors.ts";

/** What was given to make a credential of is not good. */
export const credentialInvalid = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_invalid", message, {
    status: 422,
    ...(hint === undefined ? {} : { hint }),
  });

/** A credential that was good is so no more, or may not do what it was used for. */
export const credentialRefused = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_refused", message, {
    status: 502,
    ...(hint === undefined ? {} : { hint }),
  });
