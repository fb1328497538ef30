import { fitsCursor } from "../../jobs/cursor.ts";
import type { Job } from "../../jobs/job.ts";
import type { SourceWarning } from "../../platforms/source.ts";

export function jobWarnings({
  request,
  warnings,
  result,
}: Pick<Job, "warnings" | "result"> & {
  request: Pick<Job["request"], "method">;
}): readonly SourceWarning[] {
  if (result === null) return warnings;
  const { next, nextPosition = null } = result;
  const isTruncated = next === null && nextPosition !== null && !fitsCursor(nextPosition);
  const isEmptyLive = request.method === "searchbyquery" && result.items.length === 0;
  const resultWarnings = isEmptyLive ? result.warnings.map(withArchiveHint) : result.warnings;
  return [
    ...warnings,
    ...resultWarnings,
    ...(isTruncated ? [cursorTooLong(nextPosition.platform)] : []),
  ];
}

/** Live searches do not see older archived posts. */
const withArchiveHint = (warning: SourceWarning): SourceWarning =>
  warning.code === "incomplete_coverage"
    ? { ...warning, hint: `${warning.hint}; use searchbyfullarchive for older posts` }
    : warning;

const cursorTooLong = (platform: string): SourceWarning => ({
  code: "cursor_too_long",
  message: `there is more, but the page token of ${platform} is too long for a cursor`,
});
