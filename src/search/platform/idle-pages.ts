import { hash } from "node:crypto";
import type { UpstreamPage } from "../../platforms/upstream.ts";
import { itemKey } from "../../platforms/upstream-page.ts";
import { maxIdlePages } from "./page-warnings.ts";

export type Idleness = "none" | "empty" | "repeated";

/**
 * Empty pages or mere repeats are idle; those with all items filtered out are not. Reading ends
 * after `maxIdlePages` in a row.
 */
export function watchIdlePages(): (page: UpstreamPage, hasNewItems: boolean) => Idleness {
  const fingerprints = new Set<string>();
  let empty = 0;
  let repeated = 0;

  return (page, hasNewItems) => {
    const fingerprint = pageFingerprint(page);
    const isRepeatedPage = fingerprint !== null && fingerprints.has(fingerprint);
    if (fingerprint !== null) fingerprints.add(fingerprint);
    const { items, received = items.length } = page;
    const isKnown = !hasNewItems && (isRepeatedPage || received <= items.length);
    if (received === 0) empty += 1;
    else if (isKnown) repeated += 1;
    else {
      empty = 0;
      repeated = 0;
    }
    if (empty + repeated < maxIdlePages) return "none";
    return repeated === 0 ? "empty" : "repeated";
  };
}

function pageFingerprint({ items, received, oldestMs }: UpstreamPage): string | null {
  if (items.length === 0 && oldestMs === undefined) return null;
  return hash("sha256", JSON.stringify([received, oldestMs, items.map(itemKey)]), "base64url");
}
