import type { DatabaseSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import { intactRows, type OnUnreadable, type StoredRow } from "../segments/intact-rows.ts";

export type SegmentRow = RecordRow & { revision: string };

export function* readSegmentRows(
  database: DatabaseSync,
  platform: Platform,
  onUnreadable: OnUnreadable = () => {},
): Generator<SegmentRow> {
  for (const row of intactRows(database, onUnreadable)) yield rowFrom(row, platform);
}

export function rowByIdReader(
  database: DatabaseSync,
  platform: Platform,
): (id: bigint) => SegmentRow | null {
  const selectPost = database.prepare("SELECT * FROM post WHERE id = ?");
  selectPost.setReadBigInts(true);
  return (id) => {
    const found = selectPost.get(id);
    return found === undefined ? null : rowFrom(found as StoredRow, platform);
  };
}

function rowFrom(row: StoredRow, platform: Platform): SegmentRow {
  const { id, time_ms, likes, reposts, replies, quotes, revision, record } = row;
  return {
    id,
    platform,
    timeMs: Number(time_ms),
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

const numberOrNull = (value: bigint | null): number | null =>
  value === null ? null : Number(value);
