import { firstTimeMs, hasTime, idTimeMs, type TimeSkew } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { WriteReport } from "../archive.ts";
import { nextSequence, type SegmentEntry, setSkew } from "../catalog/catalog.ts";
import { expiredBeforeMs } from "../catalog/expiry.ts";
import { isMisplaced } from "../catalog/misplaced.ts";
import { openTombstones } from "../catalog/tombstones.ts";
import type { PreparedChange } from "../prepared.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import { type AssignedChange, assignChanges, owner } from "./placement.ts";
import type { WriteContext } from "./write-context.ts";

type AssignOptions = {
  report: WriteReport;
  openWriter(entry: SegmentEntry): SegmentWriter;
};

export function assignPosts(
  context: WriteContext,
  platform: Platform,
  changes: readonly PreparedChange[],
  { report, openWriter }: AssignOptions,
): AssignedChange[] {
  const { catalog, accounts } = context;
  const entries = ensureSegmentEntries(context, platform);
  const segments = { ...context, openWriter, entries };
  const tombstones = openTombstones(catalog, platform, accounts);
  return rejectExpired(
    context,
    platform,
    assignChanges(changes, segments, tombstones, report),
    report,
  );
}

export function ensureSegmentEntries(
  { catalog, writers }: WriteContext,
  platform: Platform,
): SegmentEntry[] {
  if (writers.entries(platform).length === 0) {
    const sequence = nextSequence(catalog, platform);
    writers.add({ platform, sequence, low: 0n, skew: { minMs: 0, maxMs: 0 } });
  }
  return writers.entries(platform);
}

function rejectExpired(
  { catalog }: WriteContext,
  platform: Platform,
  changes: AssignedChange[],
  report: WriteReport,
): AssignedChange[] {
  const cutoffMs = expiredBeforeMs(catalog, platform);
  if (cutoffMs === null) return changes;
  const accepted = changes.filter(
    (change) => change.kind !== "insert" || change.post.imported || change.post.timeMs >= cutoffMs,
  );
  report.inserted -= changes.length - accepted.length;
  report.suppressed += changes.length - accepted.length;
  return accepted;
}

export function addAuthorsWithoutHandle(
  { accounts }: WriteContext,
  changes: readonly AssignedChange[],
): void {
  for (const change of changes) {
    if (change.kind !== "insert" && change.kind !== "update") continue;
    const { platform, userId, lacksHandle } = change.post;
    if (lacksHandle && userId !== null) accounts.add(platform, userId);
  }
}

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
