/**
 * Enforces the maximum age and size, oldest segments first: a segment without imports is dropped,
 * and a mixed one is rewritten so that only its imports remain. Imports and each platform's newest
 * segment never expire.
 */

import { idTimeMs, lastId } from "../../posts/ids.ts";
import { recordOrigin } from "../../posts/record.ts";
import { readSegments, type SegmentEntry, segmentPath } from "../catalog/catalog.ts";
import { allocateCommitNumber } from "../catalog/commit-number.ts";
import { cutCoverage, expiredBeforeMs, putExpiredBefore } from "../catalog/removed-posts.ts";
import { inTransaction, openForReading } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { openSegmentFile } from "../segments/segment-file.ts";
import { deletionsCopier } from "../segments/segment-writer.ts";
import type { CompactionContext } from "./context.ts";
import { removeEntry, retire } from "./retire.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

export type PostTotals = { posts: number; imported: number };

export const isImported = (record: string): boolean => recordOrigin(record) === "import";

export function readPostTotals(folder: string, entry: SegmentEntry): PostTotals {
  return readablePostTotals(folder, entry) ?? { posts: 0, imported: 0 };
}

export function readablePostTotals(folder: string, entry: SegmentEntry): PostTotals | null {
  try {
    return postTotalsIn(folder, entry);
  } catch (error) {
    if (isDamage(error)) return null;
    throw error;
  }
}

function postTotalsIn(folder: string, entry: SegmentEntry): PostTotals {
  const segment = openForReading(segmentPath(folder, entry), 100);
  try {
    const selectSetting = segment.prepare("SELECT value FROM setting WHERE name = ?");
    const setting = (name: string): number => Number(selectSetting.get(name)?.value ?? 0);
    return { posts: setting("posts"), imported: setting("imported") };
  } finally {
    segment.close();
  }
}

/** Unix milliseconds; later than every post in the segment. */
const computeEndMs = ({ high, skew }: SegmentEntry): number =>
  high === lastId ? Number.POSITIVE_INFINITY : idTimeMs(high) + 1 + Math.max(0, skew.maxMs);

export function expiredSegments(
  { bounds, clock }: CompactionContext,
  entries: readonly SegmentEntry[],
) {
  if (bounds.maxAgeMs === 0) return [];
  const cutoffMs = clock.now() - bounds.maxAgeMs;
  return expirableByAge(entries).filter((entry) => computeEndMs(entry) <= cutoffMs);
}

/** Oldest first. */
export const expirableByAge = (entries: readonly SegmentEntry[]): SegmentEntry[] =>
  entries
    .filter(({ high }) => high !== lastId)
    .toSorted((a, b) => (a.high < b.high ? -1 : a.high > b.high ? 1 : 0));

/**
 * Returns the number of dropped posts, or null if the segment contains imports, is missing, or is
 * the newest. The next segment takes over its ID range.
 */
export function* dropSegment(
  context: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<number | null> {
  const { folder, catalog, clock } = context;
  return yield* inLock(catalog, () => {
    const entries = readSegments(catalog);
    const index = entries.findIndex(
      ({ platform, sequence }) => platform === entry.platform && sequence === entry.sequence,
    );
    const next = entries[index + 1];
    if (index === -1 || next?.platform !== entry.platform) return null;
    const { posts, imported } = postTotalsIn(folder, entry);
    if (imported > 0) return null;
    const { platform, low, high } = entries[index] ?? entry;
    copyDeletions(segmentPath(folder, entry), segmentPath(folder, next));
    removeEntry(catalog, entry);
    retire(catalog, entry, clock.now(), allocateCommitNumber(catalog));
    catalog
      .prepare("UPDATE segment SET low = ? WHERE platform = ? AND sequence = ?")
      .run(low, platform, next.sequence);
    catalog
      .prepare("DELETE FROM misplaced WHERE platform = ? AND id BETWEEN ? AND ?")
      .run(platform, low, high);
    recordExpiryCutoff(context, entry);
    return posts;
  });
}

function copyDeletions(from: string, to: string): void {
  const source = openForReading(from, 100);
  const target = openSegmentFile(to, 100);
  try {
    inTransaction(target, () => deletionsCopier(source)(target));
  } finally {
    source.close();
    target.close();
  }
}

/** Also removes coverage before the cutoff. Requires a transaction. */
export function recordExpiryCutoff({ catalog }: CompactionContext, entry: SegmentEntry): void {
  const ms = Math.max(expiredBeforeMs(catalog, entry.platform) ?? 0, computeEndMs(entry));
  putExpiredBefore(catalog, entry.platform, ms);
  cutCoverage(catalog, entry.platform, ms);
}
