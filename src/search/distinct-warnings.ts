import type { SourceWarning } from "../platforms/source.ts";
import type { UpstreamWarning } from "../platforms/upstream.ts";

/** The warnings of an answer that the remarks of its pages become, each once. */
export function distinctWarnings(remarks: readonly UpstreamWarning[]): SourceWarning[] {
  const byText = new Map(
    remarks.map(({ isPartial, ...warning }) => [`${warning.code} ${warning.message}`, warning]),
  );
  return [...byText.values()];
}
