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
const [, , largest] = statementSizes;

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
    const size = statementSizes.find((other) => other >= count) ?? largest;
    const known = statements.get(size) ?? prepareFor(database, size, checksums.column);
    statements.set(size, known);
    return known;
  }

  function read(ids: readonly bigint[], into: ReadRows): void {
    for (const found of statementFor(ids.length).all(...ids)) {
      const row = found as unknown as StoredRow;
      const [position, timeMs, likes, reposts, replies, quotes, revision, record, sum] = row;
      const id = ids[position] as bigint;
      if (
        checksums.isIntact({ id, timeMs, likes, reposts, replies, quotes, revision, record }, sum)
      ) {
        const counts = { likes, reposts, replies, quotes };
        into.rows.push({ id, platform, timeMs, counts, record });
      } else {
        into.damaged.push(id);
      }
    }
  }

  function readOneByOne(ids: readonly bigint[], into: ReadRows): void {
    for (const id of ids) {
      try {
        read([id], into);
      } catch (error) {
        if (!isDamage(error)) throw error;
        into.damaged.push(id);
      }
    }
  }

  function readAll(ids: readonly bigint[]): ReadRows {
    const all: ReadRows = { rows: [], damaged: [] };
    for (let start = 0; start < ids.length; start += largest) {
      const batch = ids.length <= largest ? ids : ids.slice(start, start + largest);
      const part: ReadRows = { rows: [], damaged: [] };
      try {
        read(batch, part);
      } catch (error) {
        if (!isDamage(error)) throw error;
        part.rows = [];
        part.damaged = [];
        readOneByOne(batch, part);
      }
      all.rows.push(...part.rows);
      all.damaged.push(...part.damaged);
    }
    return all;
  }

  function withMissing(ids: readonly bigint[]): ReadRows {
    const all = readAll(ids);
    const found = new Set(all.rows.map(({ id }) => id).concat(all.damaged));
    all.damaged.push(...ids.filter((id) => !found.has(id) && isIndexed(id)));
    return all;
  }

  return (ids) => {
    const all = readAll(ids);
    if (all.rows.length + all.damaged.length === ids.length) return all;
    // A post without a row has been deleted, unless it is indexed on the same snapshot.
    return database.isTransaction
      ? withMissing(ids)
      : withSnapshot(database, () => withMissing(ids));
  };
}

function prepareFor(database: DatabaseSync, size: number, sum: string): StatementSync {
  const requested = Array.from({ length: size }, (_, position) => `(${position}, ?)`);
  const statement = database.prepare(
    `WITH requested(position, id) AS (VALUES ${requested.join()})
     SELECT position, time_ms, likes, reposts, replies, quotes, revision, record, ${sum}
     FROM requested CROSS JOIN post ON post.id = requested.id
     WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = post.id)`,
  );
  statement.setReturnArrays(true);
  return statement;
}
