import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { EarshotError } from "../../lib/errors.ts";

type Integer = number | bigint | null;

export type ChecksummedRow = {
  id: bigint;
  timeMs: Integer;
  likes: Integer;
  reposts: Integer;
  replies: Integer;
  quotes: Integer;
  revision: string;
  record: string;
};

export function rowChecksum(row: ChecksummedRow): number {
  const { id, timeMs, likes, reposts, replies, quotes } = row;
  return crc32(
    `${id} ${timeMs} ${likes} ${reposts} ${replies} ${quotes} ${row.revision}\n${row.record}`,
  );
}

/** Thrown so that a damaged row is not copied as intact. */
export const damagedRow = (id: bigint): EarshotError =>
  new EarshotError("archive_damaged", `the row of post ${id} does not match its checksum`, {
    hint: "find the segment and its repair command with earshot archive check",
  });

/** Requires `defineRowChecksum`. */
export const postRowChecksumSql =
  "row_sum(id, time_ms, likes, reposts, replies, quotes, revision, record)";

export function defineRowChecksum(database: DatabaseSync): void {
  database.function(
    "row_sum",
    { deterministic: true, useBigIntArguments: true },
    (id, timeMs, likes, reposts, replies, quotes, revision, record) =>
      rowChecksum({
        id: id as bigint,
        timeMs: timeMs as Integer,
        likes: likes as Integer,
        reposts: reposts as Integer,
        replies: replies as Integer,
        quotes: quotes as Integer,
        revision: String(revision),
        record: String(record),
      }),
  );
}

/**
 * A row without a checksum is intact only if the segment predates checksums (`unsummed`). The column
 * is missing until a writer opens the segment.
 */
export type RowChecksums = {
  column: "sum" | "NULL";
  /** Requires `defineRowChecksum`. */
  isIntactSql: string;
  isIntact(row: ChecksummedRow, sum: number | bigint | null): boolean;
};

export function openRowChecksums(database: DatabaseSync): RowChecksums {
  const hasColumn =
    database.prepare("SELECT 1 FROM pragma_table_info('post') WHERE name = 'sum'").get() !==
    undefined;
  const selectUnsummed = database.prepare("SELECT 1 FROM setting WHERE name = 'unsummed'");
  const predatesChecksums = !hasColumn || selectUnsummed.get() !== undefined;
  return {
    column: hasColumn ? "sum" : "NULL",
    isIntactSql: hasColumn
      ? `(sum IS ${postRowChecksumSql}${predatesChecksums ? " OR sum IS NULL" : ""})`
      : "true",
    isIntact: (row, sum) => (sum === null ? predatesChecksums : Number(sum) === rowChecksum(row)),
  };
}
