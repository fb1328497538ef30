import type { DatabaseSync } from "node:sqlite";
import { firstInMillisecond, lastInMillisecond, parseXId, uriHash } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import {
  currentAnalyzer,
  currentNumbering,
  type SegmentEntry,
  segmentPath,
  setNumbering,
} from "../catalog/catalog.ts";
import { numberMillisecond } from "../catalog/other-ids.ts";
import { openForReading } from "../database.ts";
import type { CompactionContext } from "./context.ts";
import { type CompactionSteps, inLock } from "./steps.ts";

export type Renumbering = {
  idInCopy(id: bigint): bigint | null;
  /** Call after the segment has changed. */
  clearCache(): void;
};

export const unchangedIds: Renumbering = { idInCopy: (id) => id, clearCache: () => {} };

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

export function planRenumbering(segment: DatabaseSync, platform: Platform): Renumbering {
  const selectIdRange = segment.prepare("SELECT id, record FROM post WHERE id BETWEEN ? AND ?");
  selectIdRange.setReadBigInts(true);
  let last: { low: bigint; ids: ReadonlyMap<bigint, bigint> } | null = null;

  function idsFrom(low: bigint): Map<bigint, bigint> {
    const posts: { id: bigint; uriHash: string }[] = [];
    const fixedIds = new Set<bigint>();
    for (const row of selectIdRange.all(low, lastInMillisecond(low))) {
      const { id, record } = row as { id: bigint; record: string };
      const uri = recordUri({ id, platform, timeMs: 0, counts: noCounts, record });
      if (platform === "x" && parseXId(uri) !== null) fixedIds.add(id);
      else posts.push({ id, uriHash: uriHash(uri) });
    }
    const ids = numberMillisecond(low, posts, fixedIds);
    for (const id of fixedIds) ids.set(id, id);
    return ids;
  }

  return {
    idInCopy: (id) => {
      const low = firstInMillisecond(id);
      if (last?.low !== low) last = { low, ids: idsFrom(low) };
      return last.ids.get(id) ?? null;
    },
    clearCache: () => {
      last = null;
    },
  };
}

/**
 * Marks the segment as renumbered if all its IDs follow from uris, so that none can change. Returns
 * whether it did.
 */
export function* skipRenumbering(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): CompactionSteps<boolean> {
  if (entry.numbering === currentNumbering || entry.analyzer !== currentAnalyzer) return false;
  return yield* inLock(catalog, () => {
    const segment = openForReading(segmentPath(folder, entry), 100);
    try {
      if (segment.prepare("SELECT 1 FROM uri LIMIT 1").get() !== undefined) return false;
    } finally {
      segment.close();
    }
    setNumbering(catalog, entry);
    return true;
  });
}
