import { hasTime } from "../../posts/ids.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { Damage, Position } from "../archive.ts";
import type { SegmentEntry } from "../catalog/catalog.ts";
import { segmentDamage } from "../catalog/damage.ts";
import { findStoredIds } from "../catalog/other-ids.ts";
import { isDamage } from "../sealed/damage.ts";
import { singleId } from "../segments/damaged-ids.ts";
import type { ReadRows } from "../segments/read-rows.ts";
import type { Segment } from "../segments/segment.ts";
import { comparePositions } from "./search.ts";

type RowsContext = {
  currentSegments(): readonly SegmentEntry[];
  open(entry: SegmentEntry): Pick<Segment, "rows" | "lookup">;
  uriKey(): string;
};

export type StoredRows = {
  /** One statement per segment; without deleted posts. */
  readRows(positions: readonly Position[]): { rows: RecordRow[]; damage: Damage[] };
  /** Of renumbered posts, by former ID. */
  findCurrentIds(entry: SegmentEntry, ids: readonly bigint[]): ReadonlyMap<bigint, bigint>;
};

export function storedRows({ currentSegments, open, uriKey }: RowsContext): StoredRows {
  function rowsIn(entry: SegmentEntry, ids: readonly bigint[]): ReadRows {
    const segment = open(entry);
    const read = segment.rows(ids);
    const knownIds = new Set([...read.rows.map(({ id }) => id), ...read.damaged]);
    const currentIds = entryCurrentIds(
      entry,
      ids.filter((id) => !knownIds.has(id)),
    );
    if (currentIds.size === 0) return read;
    const renumbered = new Map(
      segment.rows([...new Set(currentIds.values())]).rows.map((row) => [row.id, row]),
    );
    const byId = new Map(read.rows.map((row) => [row.id, row]));
    const rows = ids.flatMap((id) => {
      const row = byId.get(id) ?? renumbered.get(currentIds.get(id) ?? id);
      return row === undefined ? [] : [{ ...row, id }];
    });
    return { rows, damaged: read.damaged };
  }

  function entryCurrentIds(
    entry: SegmentEntry,
    ids: readonly bigint[],
  ): ReadonlyMap<bigint, bigint> {
    const lookedUp = entry.platform === "x" ? ids.filter(hasTime) : ids;
    if (lookedUp.length === 0) return new Map();
    try {
      return findStoredIds(open(entry).lookup, uriKey(), lookedUp);
    } catch (error) {
      if (!isDamage(error)) throw error;
      return new Map();
    }
  }

  return {
    findCurrentIds: entryCurrentIds,
    readRows: (positions) => {
      const segments = currentSegments();
      const bySegment = Map.groupBy(positions, (position) => findSegment(position, segments));
      const rows: RecordRow[] = [];
      const damage: Damage[] = [];
      for (const [entry, segmentPositions] of bySegment) {
        if (entry === undefined) continue;
        const read = rowsIn(
          entry,
          segmentPositions.map(({ id }) => id),
        );
        rows.push(...read.rows);
        damage.push(...segmentDamage(entry, read.damaged.map(singleId)));
      }
      return { rows: bySegment.size > 1 ? rows.sort(comparePositions) : rows, damage };
    },
  };
}

export const findSegment = (
  { platform, id }: Position,
  segments: readonly SegmentEntry[],
): SegmentEntry | undefined =>
  segments.findLast((entry) => entry.platform === platform && entry.low <= id);
