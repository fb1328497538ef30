import { fitsCursor } from "../jobs/cursor.ts";
import type { Job } from "../jobs/job.ts";
import type { SourceWarning } from "../platforms/source.ts";

/** The remarks known at submission and those of the result, and what keeps a result from being continued. */
export function jobWarnings({ warnings, result }: Job): readonly SourceWarning[] {
  if (result === null) return warnings;
  const { next, nextPlace = null } = result;
  const isCut = next === null && nextPlace !== null && !fitsCursor(nextPlace);
  return [...warnings, ...result.warnings, ...(isCut ? [cursorTooLong(nextPlace.platform)] : [])];
}

const cursorTooLong = (platform: string): SourceWarning => ({
  code: "cursor_too_long",
  message: `there is more, but what ${platform} calls its next page by is too long for a cursor`,
});
