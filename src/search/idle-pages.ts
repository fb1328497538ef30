import { hash } from "node:crypto";
import type { UpstreamPage } from "../platforms/upstream.ts";
import { keyOf } from "../platforms/upstream-page.ts";
import { mostIdlePages } from "./page-warnings.ts";

/** What is to be made of a page: go on, or end, as the last few were empty or the same again. */
export type Idleness = "none" | "empty" | "repeated";

/**
 * Watches the pages of one reading. A page is idle when the platform sent nothing in it, or nothing but what it had sent before.
 * One of which everything was left out is not: what follows it may be shown. `isNews`: whether it holds an item for the first
 * time. After `mostIdlePages` in a row the reading is to end.
 */
export function watchIdlePages(): (page: UpstreamPage, isNews: boolean) => Idleness {
  const looks = new Set<string>();
  let empty = 0;
  let repeated = 0;

  return (page, isNews) => {
    const look = lookOf(page);
    const isKnownLook = look !== null && looks.has(look);
    if (look !== null) looks.add(look);
    const { items, received = items.length } = page;
    const isKnown = !isNews && (isKnownLook || received <= items.length);
    if (received === 0) empty += 1;
    else if (isKnown) repeated += 1;
    else {
      empty = 0;
      repeated = 0;
    }
    if (empty + repeated < mostIdlePages) return "none";
    return repeated === 0 ? "empty" : "repeated";
  };
}

/** What a page is known again by; null where too little of it is left to tell it from another. */
function lookOf({ items, received, oldestMs }: UpstreamPage): string | null {
  if (items.length === 0 && oldestMs === undefined) return null;
  return hash("sha256", JSON.stringify([received, oldestMs, items.map(keyOf)]), "base64url");
}
