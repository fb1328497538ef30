import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";

export type SegmentRow = RecordRow & { revision: string };

const columns = "id, time_ms, likes, reposts, replies, quotes, revision, record";

/** The rows of a segment, lowest IDs first. */
export function* rowsOf(database: DatabaseSync, platform: Platform): Generator<SegmentRow> {
  const all = prepare(database, `SELECT ${columns} FROM post ORDER BY id`);
  for (const found of all.iterate()) yield rowFrom(found, platform);
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
