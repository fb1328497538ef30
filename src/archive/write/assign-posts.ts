import type { Platform } from "../../posts/post.ts";
import type { WriteReport } from "../archive.ts";
import { nextSequence, type SegmentEntry } from "../catalog/catalog.ts";
import { expiredBeforeMs } from "../catalog/expiry.ts";
import { openTombstones } from "../catalog/tombstones.ts";
import type { PreparedChange } from "../prepared.ts";
import type { SegmentWriter } from "../segments/segment-writer.ts";
import { type AssignedChange, assignChanges } from "./placement.ts";
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
