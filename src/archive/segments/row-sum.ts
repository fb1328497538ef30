import type { DatabaseSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { EarshotError } from "../../lib/errors.ts";

type Integer = number | bigint | null;

/** The columns of a row of `post`, all but its sum. */
export type SummedRow = {
  id: bigint;
  timeMs: Integer;
  likes: Integer;
  reposts: Integer;
  replies: Integer;
  quotes: Integer;
  revision: string;
  record: string;
};

/** CRC-32 of everything in a row of `post`, its ID included: a row that lies under another ID does not match either. */
export function rowSum(row: SummedRow): number {
  const { id, timeMs, likes, reposts, replies, quotes } = row;
  return crc32(
    `${id} ${timeMs} ${likes} ${reposts} ${replies} ${quotes} ${row.revision}\n${row.record}`,
  );
}

/** What stops work that would pass a damaged row on as if it were whole. */
export const damagedRow = (id: bigint): EarshotError =>
  new EarshotError("archive_damaged", `the row of post ${id} does not match its checksum`, {
    hint: "`earshot archive check` names the segment, and the command that repairs it",
  });

/** The sum of a row of `post` in SQL, on a connection of `defineRowSum`. */
export const rowSumSql = "row_sum(id, time_ms, likes, reposts, replies, quotes, revision, record)";

/** Makes `rowSumSql` callable on a connection. */
export function defineRowSum(database: DatabaseSync): void {
  database.function(
    "row_sum",
    { deterministic: true, useBigIntArguments: true },
    (id, timeMs, likes, reposts, replies, quotes, revision, record) =>
      rowSum({
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
 * Checks sums as a segment has them. A row without a sum is intact where the segment is older than sums (`unsummed`); a
 * segment that no writer has opened since has no column for them.
 */
export type RowSums = {
  /** The column as it is to be selected. */
  column: "sum" | "NULL";
  /** Whether a row is intact, in SQL; the connection knows `row_sum`. */
  isIntactSql: string;
  isIntact(row: SummedRow, sum: number | bigint | null): boolean;
};

export function rowSumsOf(database: DatabaseSync): RowSums {
  const hasColumn =
    database.prepare("SELECT 1 FROM pragma_table_info('post') WHERE name = 'sum'").get() !==
    undefined;
  const unsummed = database.prepare("SELECT 1 FROM setting WHERE name = 'unsummed'");
  const isUnsummed = !hasColumn || unsummed.get() !== undefined;
  return {
    column: hasColumn ? "sum" : "NULL",
    isIntactSql: hasColumn ? `(sum IS ${rowSumSql}${isUnsummed ? " OR sum IS NULL" : ""})` : "true",
    isIntact: (row, sum) => (sum === null ? isUnsummed : Number(sum) === rowSum(row)),
  };
}
