import { EarshotError } from "../../lib/errors.ts";

type Refusal = (check: string, message: string, hint?: string) => EarshotError;

const refusal =
  (code: string, status: number, defaultHint?: string): Refusal =>
  (check, message, hint = defaultHint) => {
    const hintField = hint === undefined ? {} : { hint };
    const details = [{ code: check, message, ...hintField }];
    return new EarshotError(code, message, { status, ...hintField, details });
  };

export const jobRefused = refusal("job_refused", 400);

export const answerRefused = refusal("answer_refused", 422);

export const signatureRefused = refusal("signature_refused", 401);

export const proofRefused = refusal("proof_refused", 422);

export const nodeRefused = refusal("node_refused", 403);

export const nodeUnauthorized = refusal(
  "node_unauthorized",
  401,
  "attest again, with a new challenge",
);

export const nodeAnswerRefused = refusal(
  "node_answer_refused",
  422,
  "discard the work: the job will run again",
);

export function failedCheckDetail(thrown: unknown): { code: string; message: string } {
  if (thrown instanceof EarshotError) return thrown.details[0] ?? thrown;
  return { code: "unreadable", message: "unreadable" };
}

/** Permanent: another run replaced this one, or an operator removed the node. */
export const isDismissal = (error: unknown): boolean =>
  error instanceof EarshotError &&
  error.code === "node_refused" &&
  error.details.some(({ code }) => code === "superseded" || code === "node_removed");
