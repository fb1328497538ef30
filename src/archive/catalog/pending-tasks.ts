import type { DatabaseSync } from "node:sqlite";
import { readSegments, type SegmentEntry } from "./catalog.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

/**
 * What somebody wants done with segments, kept in the catalog until it is: whoever keeps the archive up does it. What is done
 * makes another segment of one, so that the wish ends with it.
 */
export type PendingTasks = {
  /** Notes the wish for these segments; forgets it for those that are no more. */
  put(catalog: DatabaseSync, segments: Iterable<SegmentKey>): void;
  /** Forgets the wish for a segment; whether there was one. */
  take(catalog: DatabaseSync, segment: SegmentKey): boolean;
  /** The segments of which it is wanted, lowest IDs first within each platform. */
  read(catalog: DatabaseSync): SegmentEntry[];
};

export const pendingTasksIn = (table: "wanted_rewrite" | "wanted_seal"): PendingTasks => ({
  put(catalog, segments) {
    const put = catalog.prepare(`INSERT OR IGNORE INTO ${table} VALUES(?, ?)`);
    for (const { platform, sequence } of segments) put.run(platform, sequence);
    catalog.exec(
      `DELETE FROM ${table} WHERE NOT EXISTS (
         SELECT 1 FROM segment
         WHERE segment.platform = ${table}.platform AND segment.sequence = ${table}.sequence)`,
    );
  },
  take(catalog, { platform, sequence }) {
    return (
      catalog
        .prepare(`DELETE FROM ${table} WHERE platform = ? AND sequence = ?`)
        .run(platform, sequence).changes > 0
    );
  },
  read(catalog) {
    const wanted = new Set(
      catalog
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map(({ platform, sequence }) => `${platform} ${sequence}`),
    );
    if (wanted.size === 0) return [];
    return readSegments(catalog).filter(({ platform, sequence }) =>
      wanted.has(`${platform} ${sequence}`),
    );
  },
});
