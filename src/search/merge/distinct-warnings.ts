import type { SourceWarning } from "../../platforms/source.ts";
import type { UpstreamWarning } from "../../platforms/upstream.ts";

export function distinctWarnings(warnings: readonly UpstreamWarning[]): SourceWarning[] {
  const warningsByText = new Map(
    warnings.map(({ isPartial, ...warning }) => [`${warning.code} ${warning.message}`, warning]),
  );
  return [...warningsByText.values()];
}
