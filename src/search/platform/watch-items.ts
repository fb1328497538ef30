import { hash } from "node:crypto";
import type { UpstreamPage, UpstreamWarning } from "../../platforms/upstream.ts";
import { itemKey } from "../../platforms/upstream-page.ts";
import { maxIdlePages, outOfOrderWarning, repeatedItemsWarning } from "./page-warnings.ts";

const skewMs = 1_000;

/**
 * Detects repeated items, and posts newer than an earlier one in a list sorted newest first: the
 * list changed while it was read, so items may be missing.
 */
export function watchItems(name: string): {
  add(key: string, timeMs: number | null): boolean;
  markRepeated(): void;
  warnings(): readonly UpstreamWarning[];
} {
  const seenKeys = new Set<string>();
  let oldestMs = Number.POSITIVE_INFINITY;
  let hasRepeats = false;
  let isOutOfOrder = false;

  return {
    add: (key, timeMs) => {
      if (seenKeys.has(key)) {
        hasRepeats = true;
        return false;
      }
      seenKeys.add(key);
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
      ...(hasRepeats ? [repeatedItemsWarning(name)] : []),
      ...(isOutOfOrder ? [outOfOrderWarning(name)] : []),
    ],
  };
}

export type Idleness = "none" | "empty" | "repeated";

/**
 * Empty pages and pages of mere repeats are idle; pages with all items filtered out are not.
 * Reading ends after `maxIdlePages` in a row.
 */
export function watchIdlePages(): (page: UpstreamPage, hasNewItems: boolean) => Idleness {
  const fingerprints = new Set<string>();
  let emptyCount = 0;
  let repeatedCount = 0;

  return (page, hasNewItems) => {
    const fingerprint = pageFingerprint(page);
    const isRepeatedPage = fingerprint !== null && fingerprints.has(fingerprint);
    if (fingerprint !== null) fingerprints.add(fingerprint);
    const { items, received = items.length } = page;
    const isRepeated = !hasNewItems && (isRepeatedPage || received <= items.length);
    if (received === 0) emptyCount += 1;
    else if (isRepeated) repeatedCount += 1;
    else {
      emptyCount = 0;
      repeatedCount = 0;
    }
    if (emptyCount + repeatedCount < maxIdlePages) return "none";
    return repeatedCount === 0 ? "empty" : "repeated";
  };
}

function pageFingerprint({ items, received, oldestMs }: UpstreamPage): string | null {
  if (items.length === 0 && oldestMs === undefined) return null;
  return hash("sha256", JSON.stringify([received, oldestMs, items.map(itemKey)]), "base64url");
}
