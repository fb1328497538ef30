import { EarshotError } from "../../lib/errors.ts";

/** What is refused, and the check that refused it: its own code, in the details, with what it found. */
type Refusal = (code: string, message: string) => EarshotError;

/** A job that a node does not run. */
export const jobRefused: Refusal = (code, message) => refused("job_refused", 400, code, message);

/** An answer that a gateway does not take. */
export const answerRefused: Refusal = (code, message) =>
  refused("answer_refused", 422, code, message);

/** A signature that does not show what it has to show. */
export const signatureRefused: Refusal = (code, message) =>
  refused("signature_refused", 401, code, message);

/** The check that refused: its code in the details, and nothing else's. */
function refused(code: string, status: number, check: string, message: string): EarshotError {
  return new EarshotError(code, message, { status, details: [{ code: check, message }] });
}
