import { EarshotError, type ErrorDetail } from "../../lib/errors.ts";

/** A node that is not let in; `code` names the check. */
export const nodeRefused = (code: string, message: string, hint?: string): EarshotError =>
  refused("node_refused", 403, { code, message, ...(hint === undefined ? {} : { hint }) });

/** What keeps a node out for the moment, and has nothing to do with it. */
export const notNow = (code: string, message: string): EarshotError =>
  refused("unavailable", 503, { code, message, hint: "come again in a while" }, true);

/** A request that no attested node has signed. */
export const nodeUnauthorized = (code: string, message: string): EarshotError =>
  refused("node_unauthorized", 401, {
    code,
    message,
    hint: "attest again, with a fresh challenge",
  });

/** What a node handed in that is no answer to what it was asked. */
export const answerRefused = (code: string, message: string): EarshotError =>
  refused("node_answer_refused", 422, { code, message, hint: "drop the work: the job runs again" });

export function noJobHeld(): EarshotError {
  return new EarshotError("lease_lost", "the node holds no job that the answer could belong to", {
    status: 409,
    hint: "drop the work: another attempt has the job, or it has ended",
  });
}

export function tooManyAttempts(message: string): EarshotError {
  return new EarshotError("too_many_attempts", message, {
    status: 429,
    retryable: true,
    hint: "wait a minute",
  });
}

export const isLeaseLost = (thrown: unknown): boolean =>
  thrown instanceof EarshotError && thrown.code === "lease_lost";

/** The check that failed, as the details of an error name it; its own code without any. */
export function checkOf(thrown: unknown): { code: string; message: string } {
  if (!(thrown instanceof EarshotError))
    return { code: "unreadable", message: "it cannot be read" };
  const [detail] = thrown.details;
  return detail ?? { code: thrown.code, message: thrown.message };
}

function refused(
  code: string,
  status: number,
  detail: ErrorDetail,
  retryable = false,
): EarshotError {
  const { message, hint } = detail;
  return new EarshotError(code, message, {
    status,
    retryable,
    ...(hint === undefined ? {} : { hint }),
    details: [detail],
  });
}
