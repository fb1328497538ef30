import type { UpstreamWarning } from "../platforms/upstream.ts";
import { outOfOrder, repeatedItems } from "./page-warnings.ts";

/** Times of posts are whole seconds on some platforms, which their IDs are not. */
const skewMs = 1_000;

/**
 * Watches what a platform gives, item after item, of one list: whether it repeats an item, or, where posts are promised newest
 * first, gives one that is newer than the one before. Either shows that the list moved while it was read, or that its pages do
 * not fit together, so that items may be missing.
 */
export function watchItems(name: string): {
  /** `key` names the item; `timeMs` is null where no order is promised. Returns whether the item is new. */
  note(key: string, timeMs: number | null): boolean;
  /** A page repeated an item within itself. */
  noteRepeats(): void;
  remarks(): readonly UpstreamWarning[];
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
    remarks: () => [
      ...(isRepeated ? [repeatedItems(name)] : []),
      ...(isDisordered ? [outOfOrder(name)] : []),
    ],
  };
}
