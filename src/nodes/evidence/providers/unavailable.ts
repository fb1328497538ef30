import { EarshotError } from "../../../lib/errors.ts";

/** A node that cannot show what it was told to show. */
export function evidenceUnavailable(message: string, hint: string): EarshotError {
  return new EarshotError("evidence_unavailable", message, { status: 503, retryable: true, hint });
}
