import type { DatabaseSync } from "node:sqlite";
import { hasTime, singleId, uriHash } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import { type KnownAccount, type RecordRow, renderRecord } from "../../posts/record.ts";
import type { Damage, Position } from "../archive.ts";
import type { openCatalogAccounts } from "../catalog/accounts.ts";
import { currentHandleReader, type SegmentEntry } from "../catalog/catalog.ts";
import { findStoredIds } from "../catalog/other-ids.ts";
import { isDamage } from "../sealed/damage.ts";
import type { ReadRows } from "../segments/checked-rows.ts";
import type { Segment } from "../segments/segment.ts";
import { type PageStart, pageStart } from "./page-start.ts";
import type { RenderRow } from "./rendered-pages.ts";
import { comparePositions, segmentDamage } from "./search.ts";

type RowsContext = {
  currentSegments(): readonly SegmentEntry[];
  open(entry: SegmentEntry): Pick<Segment, "rows" | "lookup">;
  uriKey(): string;
};

export type StoredRows = {
  /** Omits deleted and hidden posts. */
  readRows(positions: readonly Position[]): { rows: RecordRow[]; damage: Damage[] };
  /** The current IDs of renumbered posts, by former ID. */
  findCurrentIds(entry: SegmentEntry, ids: readonly bigint[]): ReadonlyMap<bigint, bigint>;
};

export function storedRows({ currentSegments, open, uriKey }: RowsContext): StoredRows {
  function rowsIn(entry: SegmentEntry, ids: readonly bigint[]): ReadRows {
    const segment = open(entry);
    const result = segment.rows(ids);
    const knownIds = new Set([...result.rows.map(({ id }) => id), ...result.damaged]);
    const currentIds = entryCurrentIds(
      entry,
      ids.filter((id) => !knownIds.has(id)),
    );
    if (currentIds.size === 0) return result;
    const renumberedRows = new Map(
      segment.rows([...new Set(currentIds.values())]).rows.map((row) => [row.id, row]),
    );
    const byId = new Map(result.rows.map((row) => [row.id, row]));
    const rows = ids.flatMap((id) => {
      const row = byId.get(id) ?? renumberedRows.get(currentIds.get(id) ?? id);
      return row === undefined ? [] : [{ ...row, id }];
    });
    return { rows, damaged: result.damaged };
  }

  function entryCurrentIds(
    entry: SegmentEntry,
    ids: readonly bigint[],
  ): ReadonlyMap<bigint, bigint> {
    const lookupIds = entry.platform === "x" ? ids.filter(hasTime) : ids;
    if (lookupIds.length === 0) return new Map();
    try {
      return findStoredIds(open(entry).lookup, uriKey(), lookupIds);
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
        const result = rowsIn(
          entry,
          segmentPositions.map(({ id }) => id),
        );
        rows.push(...result.rows);
        damage.push(...segmentDamage(entry, result.damaged.map(singleId)));
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

type PositionsContext = {
  open(entry: SegmentEntry): Pick<Segment, "lookup">;
  uriKey(): string;
};

/** In a damaged segment, positions fall back to the bare ID. */
export function pagePositions({ open, uriKey }: PositionsContext) {
  return {
    startAfter: (
      after: Position | null,
      segments: readonly SegmentEntry[],
    ): { start?: PageStart } => {
      const entry = after && findSegment(after, segments);
      if (!entry) return {};
      try {
        return { start: pageStart(after, entry, open(entry).lookup, uriKey()) };
      } catch (error) {
        if (!isDamage(error)) throw error;
        return {};
      }
    },
    withHash: (position: Position | null, segments: readonly SegmentEntry[]): Position | null => {
      const entry = position && findSegment(position, segments);
      if (!entry || entry.platform === "x") return position;
      try {
        const uri = open(entry).lookup.findById(position.id)?.uri ?? "";
        return uri === "" ? position : { ...position, uriHash: uriHash(uri) };
      } catch (error) {
        if (!isDamage(error)) throw error;
        return position;
      }
    },
  };
}

/** Renders records with accounts' current handles and names, which are read once per renderer. */
export function rowRenderer(
  catalog: DatabaseSync,
  accounts: Pick<ReturnType<typeof openCatalogAccounts>, "read">,
): () => RenderRow {
  const handleOf = currentHandleReader(catalog);

  const readAccount = (platform: Platform, userId: string): KnownAccount => ({
    handle: handleOf(platform, userId),
    name: accounts.read(platform, userId)?.name ?? null,
  });

  return () => {
    const knownAccounts = new Map<string, KnownAccount>();
    return (row) => {
      let dependsOnlyOnRow = true;
      const text = renderRecord(row, (userId) => {
        dependsOnlyOnRow = false;
        const key = `${row.platform} ${userId}`;
        const account = knownAccounts.get(key) ?? readAccount(row.platform, userId.toLowerCase());
        knownAccounts.set(key, account);
        return account;
      });
      return { text, dependsOnlyOnRow };
    };
  };
}
