import type { UpstreamWarning } from "../../platforms/upstream.ts";
import { outOfOrder, repeatedItems } from "./page-warnings.ts";

const skewMs = 1_000;

/**
 * Detects repeated items, and posts newer than the one before when newest first is promised: the
 * list moved during the reading, so items may be missing.
 */
export function watchItems(name: string): {
  note(key: string, timeMs: number | null): boolean;
  noteRepeats(): void;
  warnings(): readonly UpstreamWarning[];
} {
  const seen = new Set<string>();
  let oldestMs = Number.POSITIVE_INFINITY;
  let isRepeated = false;
  let isDisordered = false;

  return {
    note: (key, timeMs) => {
      if (seen.has(key)) {
        isRepeated = true;
        return false;
      }
      seen.add(key);
      if (timeMs !== null) {
        isDisordered ||= timeMs > oldestMs + skewMs;
        oldestMs = Math.min(oldestMs, timeMs);
      }
      return true;
    },
    noteRepeats: () => {
      isRepeated = true;
    },
    warnings: () => [
      ...(isRepeated ? [repeatedItems(name)] : []),
      ...(isDisordered ? [outOfOrder(name)] : []),
    ],
  };
}
