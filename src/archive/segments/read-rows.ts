import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { Platform } from "../../posts/post.ts";
import type { RecordRow } from "../../posts/record.ts";

/** How many IDs a statement takes: one prepared for as many as a page has reads them in three quarters of the time of a list. */
const sizes = [1, 16, 128] as const;
const [, , largest] = sizes;

type StoredRow = [number, number, Count, Count, Count, Count, string];
type Count = number | null;

/** Reads the rows of posts, in the order of the IDs; those that are gone or hidden are left out. */
export function rowsReader(
  database: DatabaseSync,
  platform: Platform,
): (ids: readonly bigint[]) => RecordRow[] {
  const statements = new Map<number, StatementSync>();

  function statementFor(count: number): StatementSync {
    const size = sizes.find((each) => each >= count) ?? largest;
    const known = statements.get(size) ?? prepareFor(database, size);
    statements.set(size, known);
    return known;
  }

  function read(ids: readonly bigint[]): RecordRow[] {
    return statementFor(ids.length)
      .all(...ids)
      .map((found) => {
        const row = found as unknown as StoredRow;
        const [place, timeMs, likes, reposts, replies, quotes, record] = row;
        const id = ids[place] as bigint;
        return { id, platform, timeMs, counts: { likes, reposts, replies, quotes }, record };
      });
  }

  return (ids) => {
    if (ids.length <= largest) return ids.length === 0 ? [] : read(ids);
    const rows: RecordRow[] = [];
    for (let start = 0; start < ids.length; start += largest) {
      rows.push(...read(ids.slice(start, start + largest)));
    }
    return rows;
  };
}

/** Places that no ID is given for are null, and no post has that. */
function prepareFor(database: DatabaseSync, size: number): StatementSync {
  const asked = Array.from({ length: size }, (_, place) => `(${place}, ?)`);
  const statement = database.prepare(
    `WITH asked(place, id) AS (VALUES ${asked.join()})
     SELECT place, time_ms, likes, reposts, replies, quotes, record
     FROM asked CROSS JOIN post ON post.id = asked.id
     WHERE NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = post.id)`,
  );
  statement.setReturnArrays(true);
  return statement;
}
