import type { DatabaseSync, StatementSync } from "node:sqlite";
import { errorMessage } from "../../lib/errors.ts";
import { lastId } from "../../posts/ids.ts";
import { openRowChecksums } from "./checked-rows.ts";

export type StoredRow = {
  id: bigint;
  time_ms: bigint;
  likes: bigint | null;
  reposts: bigint | null;
  replies: bigint | null;
  quotes: bigint | null;
  revision: string;
  record: string;
  sum: bigint | null;
};

/** Both are exclusive; `to` is null after the last row. */
export type UnreadableIds = { from: bigint; to: bigint | null };

export type OnUnreadable = (ids: UnreadableIds, reason: string) => void;

/** Rows ascend by ID. Skips damaged pages and rows, and reports their IDs. */
export function* intactRows(
  database: DatabaseSync,
  onUnreadable: OnUnreadable,
): Generator<StoredRow> {
  const checksums = openRowChecksums(database);
  const selectRows = prepare(
    database,
    `SELECT id, time_ms, likes, reposts, replies, quotes, revision, record, ${checksums.column} AS sum
     FROM post WHERE id > ? ORDER BY id`,
  );
  for (let last = -1n; ; ) {
    try {
      for (const storedRow of selectRows.iterate(last)) {
        const row = storedRow as StoredRow;
        if (row.id <= last) {
          onUnreadable({ from: row.id - 1n, to: last + 1n }, "it is not in ID order");
          continue;
        }
        last = row.id;
        if (checksums.isIntact({ ...row, timeMs: row.time_ms }, row.sum)) yield row;
        else onUnreadable({ from: last - 1n, to: last + 1n }, "it does not match its checksum");
      }
      return;
    } catch (error) {
      const next = firstReadable(database, last);
      const isSingle = next !== null && next.after === last;
      const to = isSingle ? next.id + 1n : (next?.id ?? null);
      onUnreadable({ from: last, to }, errorMessage(error));
      if (next === null) return;
      last = isSingle ? next.id : next.id - 1n;
    }
  }
}

function firstReadable(
  database: DatabaseSync,
  after: bigint,
): { id: bigint; after: bigint } | null {
  const selectNextId = prepare(database, "SELECT id FROM post WHERE id > ? ORDER BY id LIMIT 1");
  const probe = (after: bigint): bigint | null | "unreadable" => {
    try {
      return (selectNextId.get(after)?.id as bigint | undefined) ?? null;
    } catch {
      return "unreadable";
    }
  };
  let low = after;
  let high = after;
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

function prepare(database: DatabaseSync, sql: string): StatementSync {
  const statement = database.prepare(sql);
  statement.setReadBigInts(true);
  return statement;
}
