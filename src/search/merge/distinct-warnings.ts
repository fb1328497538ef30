import type { SourceWarning } from "../../platforms/source.ts";
import type { UpstreamWarning } from "../../platforms/upstream.ts";

export function distinctWarnings(warnings: readonly UpstreamWarning[]): SourceWarning[] {
  const byText = new Map(
    warnings.map(({ isPartial, ...warning }) => [`${warning.code} ${warning.message}`, warning]),
  );
  return [...byText.values()];
}
