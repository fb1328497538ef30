import type { DatabaseSync } from "node:sqlite";
import { readSegments, type SegmentEntry } from "./catalog.ts";

/**
 * Segments that somebody wants rewritten though nothing is wrong with their analyzer: as texts that were forgotten are to be
 * gone from the disk, or as their lists and their index are to be made anew. Whoever keeps the archive up does it. A segment
 * that was rewritten is another one, so that the wish ends with it.
 */
export function wantRewrites(
  catalog: DatabaseSync,
  segments: Iterable<Pick<SegmentEntry, "platform" | "sequence">>,
): void {
  const put = catalog.prepare("INSERT OR IGNORE INTO wanted_rewrite VALUES(?, ?)");
  for (const { platform, sequence } of segments) put.run(platform, sequence);
  catalog.exec(
    `DELETE FROM wanted_rewrite WHERE NOT EXISTS (
       SELECT 1 FROM segment
       WHERE segment.platform = wanted_rewrite.platform AND segment.sequence = wanted_rewrite.sequence)`,
  );
}

/** The segments of which a rewrite is wanted, lowest IDs first within each platform. */
export function wantedRewrites(catalog: DatabaseSync): SegmentEntry[] {
  const wanted = new Set(
    catalog
      .prepare("SELECT * FROM wanted_rewrite")
      .all()
      .map(({ platform, sequence }) => `${platform} ${sequence}`),
  );
  if (wanted.size === 0) return [];
  return readSegments(catalog).filter(({ platform, sequence }) =>
    wanted.has(`${platform} ${sequence}`),
  );
}
