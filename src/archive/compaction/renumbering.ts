import type { DatabaseSync } from "node:sqlite";
import { firstInMillisecond, lastInMillisecond, uriHash, xIdOf } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { recordUri } from "../../posts/record.ts";
import {
  presentAnalyzer,
  presentNumbering,
  type SegmentEntry,
  segmentPath,
  setNumbering,
} from "../catalog/catalog.ts";
import { numberMillisecond } from "../catalog/numbered-millisecond.ts";
import { openForReading } from "../database.ts";
import type { CompactionContext } from "./context.ts";
import { inLock, type Steps } from "./steps.ts";

/** The IDs that the posts of a segment get in its copy. */
export type Renumbering = {
  /** The post's ID in the copy; null for a post that came while its millisecond was being copied. */
  idInCopy(id: bigint): bigint | null;
  /** Reads a millisecond again: its posts have changed. */
  forget(): void;
};

/** Leaves every post its ID. */
export const unchangedIds: Renumbering = { idInCopy: (id) => id, forget: () => {} };

const noCounts = { likes: null, reposts: null, replies: null, quotes: null };

/** Numbers posts as `number-slots.ts` does. Posts that are read in the order of their IDs cost one look at each millisecond. */
export function renumberingOf(segment: DatabaseSync, platform: Platform): Renumbering {
  const read = segment.prepare("SELECT id, record FROM post WHERE id BETWEEN ? AND ?");
  read.setReadBigInts(true);
  let last: { low: bigint; ids: ReadonlyMap<bigint, bigint> } | null = null;

  function idsFrom(low: bigint): Map<bigint, bigint> {
    const posts: { id: bigint; uriHash: string }[] = [];
    const fixed = new Set<bigint>();
    for (const row of read.all(low, lastInMillisecond(low))) {
      const { id, record } = row as { id: bigint; record: string };
      const uri = recordUri({ id, platform, timeMs: 0, counts: noCounts, record });
      if (platform === "x" && xIdOf(uri) !== null) fixed.add(id);
      else posts.push({ id, uriHash: uriHash(uri) });
    }
    const ids = numberMillisecond(low, posts, fixed);
    for (const id of fixed) ids.set(id, id);
    return ids;
  }

  return {
    idInCopy: (id) => {
      const low = firstInMillisecond(id);
      if (last?.low !== low) last = { low, ids: idsFrom(low) };
      return last.ids.get(id) ?? null;
    },
    forget: () => {
      last = null;
    },
  };
}

/**
 * Whether a segment is to be rewritten for the numbers of its posts alone and has none that would change, as of a platform
 * whose posts have numbers of their own; the catalog then says so.
 */
export function* isNumberedAlready(
  { folder, catalog }: CompactionContext,
  entry: SegmentEntry,
): Steps<boolean> {
  if (entry.numbering === presentNumbering || entry.analyzer !== presentAnalyzer) return false;
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
