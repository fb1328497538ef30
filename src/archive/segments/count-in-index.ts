/**
 * SQLite counts 100,000 matches in 6 ms, JavaScript in 46 ms. Each statement is bounded by LIMIT
 * instead of a range of IDs: FTS5 finds a first match before it applies a range, so each empty
 * range would cost a full scan of the segment.
 */

import type { DatabaseSync } from "node:sqlite";
import type { IdRange } from "../../posts/ids.ts";
import { statementCache } from "../database.ts";
import { singleId } from "./damage-marker.ts";
import { add, type BucketTally, emptyTally, type IdClock } from "./id-clock.ts";
import { defineRowChecksum, openRowChecksums } from "./row-checksum.ts";

const matchesPerStatement = 16_384;
/** Used if the time of every row must be read. */
const timedMatchesPerStatement = 2_048;

/**
 * Counts queries that FTS5 answers exactly. Prepares statements lazily: most segments are never
 * counted.
 */
export function indexCounter(database: DatabaseSync) {
  const statement = statementCache(database);
  defineRowChecksum(database);
  const { isIntactSql } = openRowChecksums(database);
  const hasHidden = (): boolean => statement("SELECT 1 FROM hidden LIMIT 1").get() !== undefined;

  return (
    expression: string,
    { low, high }: IdRange,
    { offsetMs, uncertaintyMs, originMs, widthMs }: IdClock,
    expired: () => boolean,
  ): BucketTally => {
    const tally = emptyTally();
    const counting = statement(countingSql(hasHidden(), isIntactSql));
    const limit = uncertaintyMs < widthMs ? matchesPerStatement : timedMatchesPerStatement;
    const numbers = [limit, offsetMs, widthMs, uncertaintyMs, originMs].map(BigInt);
    for (let next = high; next >= low; ) {
      const groups = counting.all(expression, low, next, ...numbers) as unknown as Group[];
      tally.statements += 1;
      let matches = 0;
      for (const [bucket, count, lowest, damaged] of groups) {
        matches += Number(count);
        if (lowest <= next) next = lowest - 1n;
        if (bucket !== null) add(tally.counts, Number(bucket), Number(count));
        if (damaged !== null)
          tally.damaged.push(...damaged.split(",").map((id) => singleId(BigInt(id))));
      }
      if (matches < limit) break;
      if (!expired()) continue;
      tally.stoppedAt = next + 1n;
      break;
    }
    return tally;
  };
}

/**
 * Bucket (null for damaged or missing rows), matches, lowest ID, IDs of damaged or missing rows.
 */
type Group = [bigint | null, bigint, bigint, string | null];

const notHidden = (id: string, hasHidden: boolean): string =>
  hasHidden ? `AND NOT EXISTS (SELECT 1 FROM hidden WHERE hidden.id = ${id})` : "";

/**
 * ?1 expression, ?2 and ?3 IDs, ?4 limit, ?5 offset, ?6 width, ?7 uncertainty, ?8 origin (of
 * `IdClock`, ms).
 */
const countingSql = (hasHidden: boolean, isIntact: string): string => `
  SELECT bucket, count(*), min(id), CASE WHEN bucket IS NULL THEN group_concat(id) END FROM (
    SELECT rowid AS id,
      CASE WHEN ((rowid >> 22) + ?5) % ?6 >= ?7 THEN ((rowid >> 22) + ?5) / ?6
      ELSE (
        SELECT (time_ms - ?8 - ((time_ms - ?8) % ?6 + ?6) % ?6) / ?6 FROM post WHERE post.id = term.rowid AND ${isIntact}
      ) END AS bucket
    FROM term WHERE term MATCH ?1 AND rowid BETWEEN ?2 AND ?3 ${notHidden("term.rowid", hasHidden)}
    ORDER BY rowid DESC LIMIT ?4
  ) GROUP BY bucket`;
