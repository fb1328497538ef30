import type { DatabaseSync, StatementSync } from "node:sqlite";
import { messageOf } from "../../lib/errors.ts";
import { lastId } from "../../posts/ids.ts";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import { type RowSums, rowSumsOf } from "../segments/row-sum.ts";

export type SegmentRow = RecordRow & { revision: string };

const columns = "id, time_ms, likes, reposts, replies, quotes, revision, record";
const storedColumns = columns.split(",").length;

/** IDs between which rows cannot be read, both exclusive; `to` is null where that is so up to the last row. */
export type UnreadableIds = { from: bigint; to: bigint | null };

/**
 * The intact rows of a segment, lowest IDs first. Pages that are damaged are stepped over: `onUnreadable` gets the IDs around
 * each such part. Rows that do not match their checksum, or are not in the order of their IDs, are left out and reported too.
 */
export function* rowsOf(
  database: DatabaseSync,
  platform: Platform,
  onUnreadable: (ids: UnreadableIds, reason: string) => void = () => {},
): Generator<SegmentRow> {
  const sums = rowSumsOf(database);
  const rows = prepare(
    database,
    `SELECT ${columns}, ${sums.column} FROM post WHERE id > ? ORDER BY id`,
  );
  for (let last = -1n; ; ) {
    try {
      for (const found of rows.iterate(last)) {
        const row = rowFrom(found, platform);
        if (row.id <= last) {
          onUnreadable({ from: row.id - 1n, to: last + 1n }, "not in the order of the IDs");
          continue;
        }
        last = row.id;
        if (isIntact(row, found, sums)) yield row;
        else onUnreadable({ from: last - 1n, to: last + 1n }, "it does not match its checksum");
      }
      return;
    } catch (error) {
      const next = firstReadable(database, last);
      // The ID of the row can be read, and the rest of the row cannot.
      const isSingle = next !== null && next.after === last;
      onUnreadable(
        { from: last, to: isSingle ? next.id + 1n : (next?.id ?? null) },
        messageOf(error),
      );
      if (next === null) return;
      last = isSingle ? next.id : next.id - 1n;
    }
  }
}

/**
 * The first row above an ID that can be reached, and the lowest ID from which it is; null where there is none. Pages lie by
 * ID, so that what is found from one ID on is found from all higher ones up to it.
 */
function firstReadable(
  database: DatabaseSync,
  above: bigint,
): { id: bigint; after: bigint } | null {
  const next = prepare(database, "SELECT id FROM post WHERE id > ? ORDER BY id LIMIT 1");
  const probe = (after: bigint): bigint | null | "unreadable" => {
    try {
      const found = next.get(after) as unknown as [bigint] | undefined;
      return found === undefined ? null : found[0];
    } catch {
      return "unreadable";
    }
  };
  let low = above;
  let high = above;
  for (let step = 1n; probe(high) === "unreadable"; step *= 2n) {
    low = high;
    if (high === lastId) return null;
    high = high + step < lastId ? high + step : lastId;
  }
  while (high - low > 1n) {
    const middle = (low + high) / 2n;
    if (probe(middle) === "unreadable") low = middle;
    else high = middle;
  }
  const id = probe(high);
  return typeof id === "bigint" ? { id, after: high } : null;
}

/** Reads single rows of a segment; null for an ID that no post has. */
export function rowById(
  database: DatabaseSync,
  platform: Platform,
): (id: bigint) => SegmentRow | null {
  const one = prepare(database, `SELECT ${columns} FROM post WHERE id = ?`);
  return (id) => {
    const found = one.get(id);
    return found === undefined ? null : rowFrom(found, platform);
  };
}

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  statement.setReturnArrays(true);
  return statement;
}

function isIntact(
  { id, timeMs, counts, revision, record }: SegmentRow,
  found: unknown,
  sums: RowSums,
) {
  const { likes, reposts, replies, quotes } = counts;
  const sum = (found as unknown[])[storedColumns] as bigint | null;
  return sums.isIntact({ id, timeMs, likes, reposts, replies, quotes, revision, record }, sum);
}

type Count = bigint | null;
type StoredRow = [bigint, bigint, Count, Count, Count, Count, string, string];

function rowFrom(found: unknown, platform: Platform): SegmentRow {
  const [id, timeMs, likes, reposts, replies, quotes, revision, record] = found as StoredRow;
  return {
    id,
    platform,
    timeMs: Number(timeMs),
    counts: {
      likes: numberOrNull(likes),
      reposts: numberOrNull(reposts),
      replies: numberOrNull(replies),
      quotes: numberOrNull(quotes),
    },
    revision: String(revision),
    record: String(record),
  };
}

const numberOrNull = (value: Count): number | null => (value === null ? null : Number(value));
