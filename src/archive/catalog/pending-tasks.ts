import type { DatabaseSync } from "node:sqlite";
import { readSegments, type SegmentEntry } from "./catalog.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

/** Requests for replaced segments are ignored, and removed by the next `put`. */
type PendingTasks = {
  put(catalog: DatabaseSync, segments: Iterable<SegmentKey>): void;
  take(catalog: DatabaseSync, segment: SegmentKey): boolean;
  read(catalog: DatabaseSync): SegmentEntry[];
};

const pendingTasksIn = (table: "pending_rewrite" | "pending_seal"): PendingTasks => ({
  put(catalog, segments) {
    const insertTask = catalog.prepare(`INSERT OR IGNORE INTO ${table} VALUES(?, ?)`);
    for (const { platform, sequence } of segments) insertTask.run(platform, sequence);
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
    const pendingKeys = new Set(
      catalog
        .prepare(`SELECT * FROM ${table}`)
        .all()
        .map(({ platform, sequence }) => `${platform} ${sequence}`),
    );
    if (pendingKeys.size === 0) return [];
    return readSegments(catalog).filter(({ platform, sequence }) =>
      pendingKeys.has(`${platform} ${sequence}`),
    );
  },
});

export const rewriteInProgress = 2;

export const {
  put: addPendingRewrites,
  take: takePendingRewrite,
  read: pendingRewrites,
} = pendingTasksIn("pending_rewrite");

export const { put: addPendingSeals, read: pendingSeals } = pendingTasksIn("pending_seal");

const settingName = ({ platform, sequence }: SegmentKey): string =>
  `salvage ${platform} ${sequence}`;

/**
 * A salvage is a rewrite requested by an operator, which omits unreadable parts and reports them.
 * Requires a transaction.
 */
export function requestSalvage(catalog: DatabaseSync, entry: SegmentKey): void {
  catalog.prepare("INSERT OR REPLACE INTO setting VALUES(?, '1')").run(settingName(entry));
  addPendingRewrites(catalog, [entry]);
}

export const isSalvagePending = (catalog: DatabaseSync, entry: SegmentKey): boolean =>
  catalog.prepare("SELECT 1 FROM setting WHERE name = ?").get(settingName(entry)) !== undefined;

export function endSalvage(catalog: DatabaseSync, entry: SegmentKey): void {
  catalog.prepare("DELETE FROM setting WHERE name = ?").run(settingName(entry));
}
