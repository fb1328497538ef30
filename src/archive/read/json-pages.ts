import type { JsonPage } from "../../lib/json-page.ts";
import type { RecordRow } from "../../posts/record.ts";
import type { Damage, Position } from "../archive.ts";
import type { RecordBytes, RecordCache, RecordVersion, RenderedRecord } from "./record-cache.ts";

type PageContext = {
  cache: RecordCache;
  currentVersions(): (position: Position) => RecordVersion | null;
  readRows(positions: readonly Position[]): { rows: RecordRow[]; damage: Damage[] };
  renderer(): RenderRow;
};

export type RenderRow = (row: RecordRow) => RenderedRecord;

export type ReadPage = JsonPage & { damage: readonly Damage[] };

const rowsAtOnce = 32;

/** Renders one JSON array, without deleted or damaged posts. Null if `isOver()` becomes true before it is complete. */
export function jsonPages({ cache, currentVersions, readRows, renderer }: PageContext) {
  return (positions: readonly Position[], isOver: () => boolean): ReadPage | null => {
    const versionOf = currentVersions();
    cache.beginPage();
    const cached = positions.map((position) => {
      const version = versionOf(position);
      return version && cache.find(position.id, version);
    });
    const missing = positions.filter((_, index) => cached[index] === null);
    if (missing.length === 0) return { ...joinRecords(cached), damage: [] };

    const added = new Map<string, RecordBytes>();
    const damage: Damage[] = [];
    const render = renderer();
    for (let start = 0; start < missing.length; start += rowsAtOnce) {
      if (isOver()) return null;
      const stored = readRows(missing.slice(start, start + rowsAtOnce));
      damage.push(...stored.damage);
      for (const row of stored.rows) {
        const version = versionOf(row);
        if (version === null) continue;
        added.set(positionName(row), cache.add(row.id, version, render(row)));
      }
    }
    const parts = positions.map(
      (position, index) => cached[index] ?? added.get(positionName(position)) ?? null,
    );
    return { ...joinRecords(parts), damage };
  };
}

const positionName = ({ platform, id }: Position): string => `${platform} ${id}`;

const comma = 0x2c;

function joinRecords(records: readonly (RecordBytes | null)[]): JsonPage {
  const parts = records.filter((part) => part !== null);
  const lengths = Uint32Array.from(parts, ({ start, end }) => end - start);
  const length = lengths.reduce((total, value) => total + value, 2 + Math.max(0, parts.length - 1));
  const body = Buffer.allocUnsafeSlow(length);
  let at = body.write("[");
  for (const { arena, start, end } of parts) {
    if (at > 1) body[at++] = comma;
    at += arena.copy(body, at, start, end);
  }
  body.write("]", at);
  return { body, lengths };
}
