import type { FastifyReply } from "fastify";
import type { Job, JobFailure, JobResult } from "../../jobs/job.ts";
import type { EarshotError } from "../../lib/errors.ts";
import { problem } from "../problems/write-problem.ts";

/** Null while unfinished. Errors: `result_expired`, `job_cancelled`, the job's failure. */
export function jobResult({ state, result, failure }: Job): JobResult | null {
  switch (state) {
    case "done":
      if (result !== null) return result;
      throw problem("result_expired", "the result is no longer stored");
    case "error":
      throw getJobError(failure);
    case "cancelled":
      throw problem("job_cancelled", "the job was cancelled");
    case "expired":
      throw problem("result_expired", "the result is no longer stored", {
        hint: "submit the search again",
      });
    default:
      return null;
  }
}

function getJobError(failure: JobFailure | null): EarshotError {
  if (failure === null) return problem("job_failed", "the job failed");
  const { code, message, status, hint, retryable } = failure;
  const help = hint === undefined ? {} : { hint };
  if (status === 504) return problem("deadline_exceeded", message, help);
  if (status === 502) {
    const problemFields = {
      details: [{ code, message }],
      ...(retryable === undefined ? {} : { retryable }),
    };
    return problem("upstream_failed", message, { ...help, ...problemFields });
  }
  return problem("job_failed", message, help);
}

export function answerUnfinished(reply: FastifyReply, { uuid, state }: Job) {
  return reply
    .code(202)
    .header("retry-after", "1")
    .type("application/json; charset=utf-8")
    .send(JSON.stringify({ uuid, status: state, error: "" }));
}
