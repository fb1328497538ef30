import { EarshotError } from "../../lib/errors.ts";

/** An error whose details name the check that failed. */
type Refusal = (check: string, message: string, hint?: string) => EarshotError;

const refusal =
  (code: string, status: number, usualHint?: string): Refusal =>
  (check, message, hint = usualHint) => {
    const given = hint === undefined ? {} : { hint };
    const details = [{ code: check, message, ...given }];
    return new EarshotError(code, message, { status, ...given, details });
  };

/** A job that a node does not run. */
export const jobRefused = refusal("job_refused", 400);

/** An answer whose content is not one to its request. */
export const answerRefused = refusal("answer_refused", 422);

/** A signature that does not cover what it has to, or does not verify. */
export const signatureRefused = refusal("signature_refused", 401);

/** A node that is not admitted. */
export const nodeRefused = refusal("node_refused", 403);

/** A request that no attested node has signed. */
export const nodeUnauthorized = refusal(
  "node_unauthorized",
  401,
  "attest again, with a fresh challenge",
);

/** What a node hands in and the gateway does not take. */
export const nodeAnswerRefused = refusal(
  "node_answer_refused",
  422,
  "drop the work: the job runs again",
);

/** The check that failed, as the details of an error name it; otherwise the error's own code. */
export function checkOf(thrown: unknown): { code: string; message: string } {
  if (thrown instanceof EarshotError) return thrown.details[0] ?? thrown;
  return { code: "unreadable", message: "it cannot be read" };
}
