import type { UpstreamWarning } from "../../platforms/upstream.ts";
import { outOfOrder, repeatedItems } from "./page-warnings.ts";

const skewMs = 1_000;

/**
 * Detects repeats, and posts newer than the one before in a list sorted newest first: it changed
 * while it was read, so items may be missing.
 */
export function watchItems(name: string): {
  add(key: string, timeMs: number | null): boolean;
  markRepeated(): void;
  warnings(): readonly UpstreamWarning[];
} {
  const seen = new Set<string>();
  let oldestMs = Number.POSITIVE_INFINITY;
  let hasRepeats = false;
  let isOutOfOrder = false;

  return {
    add: (key, timeMs) => {
      if (seen.has(key)) {
        hasRepeats = true;
        return false;
      }
      seen.add(key);
      if (timeMs !== null) {
        isOutOfOrder ||= timeMs > oldestMs + skewMs;
        oldestMs = Math.min(oldestMs, timeMs);
      }
      return true;
    },
    markRepeated: () => {
      hasRepeats = true;
    },
    warnings: () => [
      ...(hasRepeats ? [repeatedItems(name)] : []),
      ...(isOutOfOrder ? [outOfOrder(name)] : []),
    ],
  };
}
