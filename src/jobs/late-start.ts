import { formatDuration } from "../lib/duration.ts";
import type { JobResult } from "./job.ts";

/** A wait that is shorter is not the reason why an answer was cut. */
const noticeableMs = 1_000;

/**
 * The result of a job, with a warning where it ran out of time after it had waited: of the time that a job has, waiting for a free
 * slot of a node is a part. `waitedMs`: from its submission to the begin of the attempt.
 */
export function withLateStart(
  result: JobResult,
  { waitedMs, deadlineMs }: { waitedMs: number; deadlineMs: number },
): JobResult {
  const isCut = result.warnings.some(({ code }) => code === "deadline_reached");
  if (!isCut || waitedMs < noticeableMs) return result;
  const waited = formatDuration(Math.floor(waitedMs / 1_000) * 1_000);
  const warning = {
    code: "started_late",
    message: `the search began ${waited} after its submission, of the ${formatDuration(deadlineMs)} that a job has: it waited for a free slot`,
    hint: "go on with the cursor, or submit fewer searches at a time",
  };
  return { ...result, warnings: [...result.warnings, warning] };
}
