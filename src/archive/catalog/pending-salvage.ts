import type { DatabaseSync } from "node:sqlite";
import type { SegmentEntry } from "./catalog.ts";
import { addPendingRewrites } from "./pending-tasks.ts";

type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

const settingName = ({ platform, sequence }: SegmentKey): string =>
  `salvage ${platform} ${sequence}`;

/**
 * A salvage is a rewrite on an operator's request that omits and reports unreadable parts. Requires
 * a transaction.
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
