import { firstTimeMs, hasTime, idTimeMs, type TimeSkew } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { type SegmentEntry, setSkew } from "../catalog/catalog.ts";
import { isMisplaced } from "../catalog/misplaced.ts";
import { type AssignedChange, owner } from "./placement.ts";
import type { WriteContext } from "./write-context.ts";

/**
 * Readers must know skews and misplaced posts before the posts are written. False if nothing
 * changed.
 */
export function publish(
  context: WriteContext,
  platform: Platform,
  changes: readonly AssignedChange[],
): boolean {
  const isWidened = widenSkews(context, platform, changes);
  let isListed = false;
  for (const change of changes) {
    if (change.kind !== "insert" || change.post.hash === null) continue;
    const { uri, hash } = change.post;
    if (!isMisplaced(platform, uri, change.id)) continue;
    isListed = context.misplaced.add(platform, hash, change.id) || isListed;
  }
  return isWidened || isListed;
}

function widenSkews(
  { catalog, writers }: WriteContext,
  platform: Platform,
  changes: readonly AssignedChange[],
): boolean {
  const entries = writers.entries(platform);
  const wider = new Map<SegmentEntry, TimeSkew>();
  for (const change of changes) {
    if (change.kind !== "insert" && change.kind !== "update") continue;
    if (!hasTime(change.id) && change.post.timeMs <= firstTimeMs) continue;
    const entry = owner(entries, change.id);
    const skew = wider.get(entry) ?? entry.skew;
    const offsetMs = change.post.timeMs - idTimeMs(change.id);
    if (offsetMs >= skew.minMs && offsetMs <= skew.maxMs) continue;
    wider.set(entry, {
      minMs: Math.min(offsetMs, skew.minMs),
      maxMs: Math.max(offsetMs, skew.maxMs),
    });
  }
  for (const [entry, skew] of wider) setSkew(catalog, entry, skew);
  return wider.size > 0;
}
