import type { SourceWarning } from "../platforms/source.ts";
import type { UpstreamWarning } from "../platforms/upstream.ts";

export function distinctWarnings(remarks: readonly UpstreamWarning[]): SourceWarning[] {
  const byText = new Map(
    remarks.map(({ isPartial, ...warning }) => [`${warning.code} ${warning.message}`, warning]),
  );
  return [...byText.values()];
}
