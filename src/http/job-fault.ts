import type { JobFailure } from "../jobs/job.ts";
import type { EarshotError } from "../lib/errors.ts";
import { problem } from "./problem-writer.ts";

/** The problem that a failed job's result is answered with. */
export function jobFault(failure: JobFailure | null): EarshotError {
  if (failure === null) return problem("job_failed", "the job failed");
  if (failure.status === 504) return problem("deadline_exceeded", failure.message);
  if (failure.status === 502) return problem("upstream_failed", failure.message);
  return problem("job_failed", failure.message);
}
