import { formatDuration } from "../../lib/duration.ts";
import type { JobResult } from "../job.ts";

const minNoticeableMs = 1_000;

/** Warns if the result was truncated at its deadline after the job had waited `waitedMs` for a slot. */
export function withLateStartWarning(
  result: JobResult,
  { waitedMs, deadlineMs }: { waitedMs: number; deadlineMs: number },
): JobResult {
  const isTruncated = result.warnings.some(({ code }) => code === "deadline_reached");
  if (!isTruncated || waitedMs < minNoticeableMs) return result;
  const waitTime = formatDuration(Math.floor(waitedMs / 1_000) * 1_000);
  const warning = {
    code: "started_late",
    message: `the search waited ${waitTime} of its ${formatDuration(deadlineMs)} deadline for a free slot`,
    hint: "continue with next_cursor, or submit fewer searches at a time",
  };
  return { ...result, warnings: [...result.warnings, warning] };
}
