import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";
import { onSnapshot } from "../database.ts";
import { isDamage } from "../sealed/damage.ts";
import { rowSumsOf } from "./row-sum.ts";

/** How many IDs a statement takes: one prepared for as many as a page has reads them in three quarters of the time of a list. */
const sizes = [1, 16, 128] as const;
const [, , largest] = sizes;

type StoredRow = [number, number, Count, Count, Count, Count, string, string, number | null];
type Count = number | null;

/** Rows of posts in the order of the IDs. Posts that were deleted or are hidden are in neither list. */
export type RowsRead = {
  rows: RecordRow[];
  /** Posts whose row does not match its checksum, cannot be read, or is missing though an index names it. */
  damaged: bigint[];
};

/**
 * Reads the rows of posts by ID, without those that are hidden. `isNamed` says, on one snapshot with the rows, whether an index
 * names a post that has no row.
 */
export function rowsReader(
  database: DatabaseSync,
  platform: Platform,
  isNamed: (id: bigint) => boolean,
): (ids: readonly bigint[]) => RowsRead {
  const statements = new Map<number, StatementSync>();
  const sums = rowSumsOf(database);

  function statementFor(count: number): StatementSync {
    const size = sizes.find((each) => each >= count) ?? largest;
    const known = statements.get(size) ?? prepareFor(database, size, sums.column);
    statements.set(size, known);
    return known;
  }

  function read(ids: readonly bigint[], into: RowsRead): void {
    for (const found of statementFor(ids.length).all(...ids)) {
      const row = found as unknown as StoredRow;
      const [place, timeMs, likes, reposts, replies, quotes, revision, record, sum] = row;
      const id = ids[place] as bigint;
      if (sums.isIntact({ id, timeMs, likes, reposts, replies, quotes, revision, record }, sum)) {
        const counts = { likes, reposts, replies, quotes };
        into.rows.push({ id, platform, timeMs, counts, record });
      } else {
        into.damaged.push(id);
      }
    }
  }

  /** A damaged page costs the rows on it alone: those of the others are read one by one. */
  function readAround(ids: readonly bigint[], into: RowsRead): void {
    for (const id of ids) {
      try {
        read([id], into);
      } catch (error) {
        if (!isDamage(error)) throw error;
        into.damaged.push(id);
      }
    }
  }

  function readAll(ids: readonly bigint[]): RowsRead {
    const all: RowsRead = { rows: [], damaged: [] };
    for (let start = 0; start < ids.length; start += largest) {
      const some = ids.length <= largest ? ids : ids.slice(start, start + largest);
      const part: RowsRead = { rows: [], damaged: [] };
      try {
        read(some, part);
      } catch (error) {
        if (!isDamage(error)) throw error;
        part.rows = [];
        part.damaged = [];
        readAround(some, part);
      }
      all.rows.push(...part.rows);
      all.damaged.push(...part.damaged);
    }
    return all;
  }

  function withMissing(ids: readonly bigint[]): RowsRead {
    const all = readAll(ids);
    const read = new Set(all.rows.map(({ id }) => id).concat(all.damaged));
    all.damaged.push(...ids.filter((id) => !read.has(id) && isNamed(id)));
    return all;
  }

  return (ids) => {
    const all = readAll(ids);
    if (all.rows.length + all.damaged.length === ids.length) return all;
    // What has no row was deleted, unless the same snapshot names it.
    return database.isTransaction ? withMissing(ids) : onSnapshot(database, () => withMissing(ids));
  };
}

/** Places that no ID is given for are null, and no post has that. */
function prepareFor(database: DatabaseSync, size: number, sum: string): StatementSync {
  const asked = Array.from({ length: size }, (_, place) => `(${place}, ?)`);
  const statement = database.prepare(
    `WITH asked(place, id) AS (VALUES ${asked.join()})
     SELECT place, time_ms, likes, reposts, replies, quotes, revision, record, ${sum}
     FROM asked CROSS JOIN post ON post.id = asked.id
     WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = post.id)`,
  );
  statement.setReturnArrays(true);
  return statement;
}
