import { EarshotError } from "../lib/errors.ts";

export const credentialInvalid = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_invalid", message, {
    status: 422,
    ...(hint === undefined ? {} : { hint }),
  });

export const credentialRefused = (message: string, hint?: string): EarshotError =>
  new EarshotError("credential_refused", message, {
    status: 502,
    ...(hint === undefined ? {} : { hint }),
  });
