import type { DatabaseSync, StatementSync } from "node:sqlite";
import { crc32 } from "node:zlib";
import { EarshotError } from "../../lib/errors.ts";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import { withSnapshot } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";

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
 * A row without a checksum is intact only if the segment predates checksums (`unsummed`). The
 * column is missing until a writer opens the segment.
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

/** IDs per statement. Statements of fixed sizes are a quarter faster than a list parameter. */
const statementSizes = [1, 16, 128] as const;
const [, , largestSize] = statementSizes;

type StoredRow = [number, number, Count, Count, Count, Count, string, string, number | null];
type Count = number | null;

export type ReadRows = {
  rows: RecordRow[];
  /** Posts whose row fails its checksum, is unreadable, or is missing although indexed. */
  damaged: bigint[];
};

/** `isIndexed` returns whether an index contains a post, on the same snapshot. */
export function rowsReader(
  database: DatabaseSync,
  platform: Platform,
  isIndexed: (id: bigint) => boolean,
): (ids: readonly bigint[]) => ReadRows {
  const statements = new Map<number, StatementSync>();
  const checksums = openRowChecksums(database);

  function statementFor(count: number): StatementSync {
    const size = statementSizes.find((other) => other >= count) ?? largestSize;
    const statement = statements.get(size) ?? prepareFor(database, size, checksums.column);
    statements.set(size, statement);
    return statement;
  }

  function read(ids: readonly bigint[], target: ReadRows): void {
    for (const columns of statementFor(ids.length).all(...ids)) {
      const row = columns as unknown as StoredRow;
      const [position, timeMs, likes, reposts, replies, quotes, revision, record, sum] = row;
      const id = ids[position] as bigint;
      if (
        checksums.isIntact({ id, timeMs, likes, reposts, replies, quotes, revision, record }, sum)
      ) {
        const counts = { likes, reposts, replies, quotes };
        target.rows.push({ id, platform, timeMs, counts, record });
      } else {
        target.damaged.push(id);
      }
    }
  }

  function readOneByOne(ids: readonly bigint[], target: ReadRows): void {
    for (const id of ids) {
      try {
        read([id], target);
      } catch (error) {
        if (!isDamage(error)) throw error;
        target.damaged.push(id);
      }
    }
  }

  function readAll(ids: readonly bigint[]): ReadRows {
    const result: ReadRows = { rows: [], damaged: [] };
    for (let start = 0; start < ids.length; start += largestSize) {
      const batch = ids.length <= largestSize ? ids : ids.slice(start, start + largestSize);
      const batchRows: ReadRows = { rows: [], damaged: [] };
      try {
        read(batch, batchRows);
      } catch (error) {
        if (!isDamage(error)) throw error;
        batchRows.rows = [];
        batchRows.damaged = [];
        readOneByOne(batch, batchRows);
      }
      result.rows.push(...batchRows.rows);
      result.damaged.push(...batchRows.damaged);
    }
    return result;
  }

  function withMissing(ids: readonly bigint[]): ReadRows {
    const result = readAll(ids);
    const foundIds = new Set(result.rows.map(({ id }) => id).concat(result.damaged));
    result.damaged.push(...ids.filter((id) => !foundIds.has(id) && isIndexed(id)));
    return result;
  }

  return (ids) => {
    const result = readAll(ids);
    if (result.rows.length + result.damaged.length === ids.length) return result;
    // A post without a row has been deleted, unless it is indexed on the same snapshot.
    return database.isTransaction
      ? withMissing(ids)
      : withSnapshot(database, () => withMissing(ids));
  };
}

function prepareFor(database: DatabaseSync, size: number, sum: string): StatementSync {
  const valueRows = Array.from({ length: size }, (_, position) => `(${position}, ?)`);
  const statement = database.prepare(
    `WITH requested(position, id) AS (VALUES ${valueRows.join()})
     SELECT position, time_ms, likes, reposts, replies, quotes, revision, record, ${sum}
     FROM requested CROSS JOIN post ON post.id = requested.id
     WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = post.id)`,
  );
  statement.setReturnArrays(true);
  return statement;
}
