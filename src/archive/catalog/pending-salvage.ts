import type { DatabaseSync } from "node:sqlite";
import type { SegmentEntry } from "./catalog.ts";
import { wantRewrites } from "./pending-rewrites.ts";

/**
 * Segments that an operator named to be rewritten: what cannot be read of them is left out and reported, which no rewrite does
 * unasked.
 */
type SegmentKey = Pick<SegmentEntry, "platform" | "sequence">;

const nameOf = ({ platform, sequence }: SegmentKey): string => `salvage ${platform} ${sequence}`;

/** Within a transaction. */
export function requestSalvage(catalog: DatabaseSync, entry: SegmentKey): void {
  catalog.prepare("INSERT OR REPLACE INTO setting VALUES(?, '1')").run(nameOf(entry));
  wantRewrites(catalog, [entry]);
}

export const isSalvagePending = (catalog: DatabaseSync, entry: SegmentKey): boolean =>
  catalog.prepare("SELECT 1 FROM setting WHERE name = ?").get(nameOf(entry)) !== undefined;

/** Forgets the request; within a transaction. */
export function endSalvage(catalog: DatabaseSync, entry: SegmentKey): void {
  catalog.prepare("DELETE FROM setting WHERE name = ?").run(nameOf(entry));
}
